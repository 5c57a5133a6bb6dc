import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanHtml, segment } from '../src/robot/text/index.ts';
import { fuzzPages, fuzzRobots, hostilePages } from './robot-text/fuzz.ts';

test('changed pages never crash the cleaner and never leave markup in the text', () => {
  const { crashes, markup, first } = fuzzPages(2000, 1);
  assert.deepEqual({ crashes, markup }, { crashes: 0, markup: 0 }, first);
});

test('changed robots.txt files never crash the matcher', () => {
  const { crashes, first } = fuzzRobots(1000, 1);
  assert.equal(crashes, 0, first);
});

for (const [kind, make] of Object.entries(hostilePages)) {
  test(`a megabyte of ${kind} is cleaned and segmented`, { timeout: 60_000 }, () => {
    const { text } = cleanHtml(Buffer.from(make(1_000_000)), { url: 'http://a.cz/', main: true });
    assert.doesNotMatch(text, /<\/?[a-z!]/, 'no tag is left');
    const { usability, words } = segment(text, { languages: ['cs'] });
    assert.ok(usability >= 0 && usability <= 1, `${usability}`);
    assert.ok(words <= text.length, `${words} words in ${text.length} characters`);
  });
}
