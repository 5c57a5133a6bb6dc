import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadScope } from './scope.ts';

test('a URL is refused with the rule that it breaks: its host, or an address that looks endless', async () => {
  const { refusal } = await loadScope({ include: '\\.cz$', exclude: '^shop\\.' });
  assert.equal(refusal('https://www.example.cz/'), undefined);
  assert.equal(refusal('https://www.example.cz:8443/a?b=c'), undefined);
  assert.equal(refusal('https://www.example.sk/'), 'host outside include and exclude');
  assert.equal(refusal('https://shop.example.cz/'), 'host outside include and exclude');
  assert.match(refusal('https://www.example.cz/calendar/2099/12') ?? '', /^looks endless: calendar/);
});

test('the refusal of one page says nothing about other pages of its host', async () => {
  const { refusal } = await loadScope({ include: '', exclude: '' });
  assert.match(refusal('https://a.cz/x/x/x') ?? '', /repeats/);
  assert.equal(refusal('https://a.cz/x'), undefined);
});
