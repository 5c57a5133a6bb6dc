import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPages } from './find-pages.ts';

const pages = [
  { title: 'Fronty', detail: 'Stroj', also: ['Queues'] },
  { title: 'Doručení', detail: 'Pošta', also: ['Deliveries'] },
  { title: 'Přehled', also: ['Overview'] },
];
const found = (words: string) => findPages(pages, words).map(({ title }) => title);

test('a page is found by a part of its name, without accents and in either language', () => {
  assert.deepEqual(found('doruc'), ['Doručení']);
  assert.deepEqual(found('QUEUE'), ['Fronty']);
  assert.deepEqual(found('pre'), ['Přehled']);
  assert.deepEqual(found('posta dor'), ['Doručení']);
  assert.deepEqual(found(''), ['Fronty', 'Doručení', 'Přehled']);
  assert.deepEqual(found('xyz'), []);
});
