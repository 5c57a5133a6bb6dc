import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from './read-page.ts';

test('HTML is read up to 10 MB, so that no page fills the memory of a harvester', () => {
  const body = Buffer.alloc(10_000_100, ' ');
  body.write('<p>The beginning of a page.');
  body.write('<p>Its end.', 10_000_001);
  const answer = { status: 200, statusText: 'OK', rawHeaders: [], raw: body, body, isCut: false };
  const options = { main: false, text: false, language: ['en'] };
  const page = readPage(
    { ...answer, headers: { 'content-type': 'text/html' } },
    { url: 'http://www.example.cz/', converted: undefined, options, spend() {} },
  );
  assert.equal(page?.documents[0]?.text.trim(), 'The beginning of a page.');
});
