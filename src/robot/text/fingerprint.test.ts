import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance, fingerprint, nearDistance, nearKeys } from './fingerprint.ts';

const words =
  'obec kronika povodeň most mlýn učitel škola kostel rybník pole les cesta trh řemeslo hospodář zima jaro léto podzim úroda'.split(
    ' ',
  );
/** Some text of its own for every seed. */
function textOf(seed: number, length = 300): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return `${words[state % words.length]}${(state >> 8) % 50}`;
  }).join(' ');
}

test('texts that differ in case, white space and punctuation are the same', () => {
  assert.equal(fingerprint('Příliš žluťoučký  kůň.').exact, fingerprint('příliš\nŽLUŤOUČKÝ kůň').exact);
  assert.notEqual(fingerprint('kůň').exact, fingerprint('kuň').exact);
});

test('a text with a few words changed is a near duplicate, another text is not', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1);
  const near = seeds.filter((seed) => {
    const text = textOf(seed, 1000);
    return distance(fingerprint(text).near, fingerprint(`${text} Aktualizováno dnes `).near) <= nearDistance;
  });
  assert.ok(near.length >= 36, `${near.length} of 40 found`);
  for (const seed of seeds)
    assert.ok(distance(fingerprint(textOf(seed)).near, fingerprint(textOf(seed + 100)).near) > 10);
});

test('near duplicates share a key', () => {
  const near = fingerprint(textOf(1)).near;
  const other = near ^ (1n << 3n) ^ (1n << 20n) ^ (1n << 63n);
  assert.equal(distance(near, other), 3);
  assert.ok(nearKeys(near).some((key) => nearKeys(other).includes(key)));
});

test('any text has a fingerprint', () => {
  for (const text of ['', ' ', 'a', '…', '語']) assert.equal(typeof fingerprint(text).near, 'bigint');
});
