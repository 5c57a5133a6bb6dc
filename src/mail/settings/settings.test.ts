import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionOf } from '../../engine/house.ts';
import { loadSettings } from '../../engine/settings/load.ts';
import { mail } from '../house.ts';
import { tokensOf } from '../tokens/tokens.ts';
import { classesOf, mailSettings } from './settings.ts';

test('a class keeps what the settings don’t mention; a new one is like bulk', () => {
  const usual = classesOf(mailSettings.parse({}));
  const classes = classesOf(
    mailSettings.parse({
      classes: { transactional: { ttlMs: 900_000 }, bulk: { onUnknown: 'resend' }, survey: { lane: 'high' } },
    }),
  );
  assert.deepEqual(classes.get('transactional'), { ...usual.get('transactional'), ttlMs: 900_000 });
  assert.deepEqual(classes.get('bulk'), { ...usual.get('bulk'), onUnknown: 'resend' });
  assert.deepEqual(classes.get('survey'), { ...usual.get('bulk'), lane: 'high' });
  const { lane, onUnknown } = classes.get('transactional') ?? {};
  assert.deepEqual([lane, onUnknown, classes.get('bulk')?.unsubscribe], ['high', 'resend', true]);
});

test('the command line changes one value of a class', async () => {
  const set = ['mail.classes.bulk.ttlMs=60000', 'mail.classes.bulk.hours=mon-fri 08:00-18:00'];
  const from = { houses: [mail], environment: {}, directory: '/nowhere' };
  const { settings } = await loadSettings({ ...from, commandLine: { set } });
  const { ttlMs, hours, unsubscribe } = classesOf(sectionOf(settings, mail)).get('bulk') ?? {};
  assert.deepEqual([ttlMs, hours, unsubscribe], [60_000, ['mon-fri 08:00-18:00'], true]);
});

test('addresses that get the id of each mail leave room for it, and are addresses', () => {
  // As long as those of campaigns.
  const id = `${'c'.repeat(12)}-${'f'.repeat(32)}`;
  const tokens = tokensOf(Buffer.alloc(32));
  for (const [name, tag] of [
    ['bounceAddress', tokens.bounceTag(id)],
    ['unsubscribeAddress', tokens.unsubscribeTag(id)],
  ] as const) {
    const isTaken = (address: string) => mailSettings.safeParse({ [name]: address }).success;
    const longest = [...Array(64).keys()].findLast((length) => isTaken(`${'x'.repeat(length)}@example.org`));
    assert.equal((longest ?? 0) + 1 + tag.length, 64);
    for (const address of ['bounce', '@example.org', 'a@b@c', 'a b@example.org', 'a@exa\nmple.org'])
      assert.equal(isTaken(address), false, address);
    assert.equal(isTaken(''), true);
  }
});
