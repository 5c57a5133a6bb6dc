import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRequests } from './politeness/check-requests.ts';
import { crawl, definitionFor, runTestRobot, serveTestWeb, storedLines } from './testing/crawl-web.ts';

test('a crawl stores every page once and breaks no rule, as servers and log both see it', async (t) => {
  const served = await serveTestWeb(t);
  const engine = await runTestRobot(t);
  const { number, rules, statistics } = await crawl(engine, definitionFor(served));
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line).finalUrl);
  assert.deepEqual(documents.toSorted(), served.web.expected().toSorted());
  assert.deepEqual(served.complaints, []);
  assert.deepEqual(served.violations(rules), []);
  const log = (await storedLines(engine, number, 'requests'))
    .map((line) => JSON.parse(line))
    .filter((line) => 'url' in line);
  assert.equal(log.length, served.seen.length);
  assert.deepEqual(checkRequests(log, rules), []);
  assert.equal(statistics.documents, documents.length);
});

test('faults of servers cost at most their own pages, and rules are kept among them', async (t) => {
  const served = await serveTestWeb(t, { hosts: 32, addresses: 16, pages: 6, faults: true });
  const engine = await runTestRobot(t);
  const definition = definitionFor(served, { pageLimitMb: 0.1, attempts: 4 });
  const { number, rules } = await crawl(engine, definition);
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line));
  const expected = new Set(served.web.expected());
  const stored = new Set(documents.map(({ finalUrl }) => finalUrl));
  assert.equal(stored.size, documents.length, 'nothing is stored twice');
  assert.deepEqual(
    [...expected].filter((url) => !stored.has(url)),
    [],
  );
  assert.deepEqual(served.complaints, []);
  assert.deepEqual(served.violations(rules), []);
  const isCzech = documents.filter(({ text }) => /písmák|kronikář|žních/.test(text));
  assert.ok(isCzech.length > 20, 'pages in every charset are read');
});

test('nothing deeper than the limit is fetched, and everything within it is', async (t) => {
  const served = await serveTestWeb(t, { hosts: 7, addresses: 3, pages: 15 });
  const engine = await runTestRobot(t);
  const { number } = await crawl(engine, definitionFor(served, { depth: 2 }));
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line));
  assert.deepEqual(documents.map(({ finalUrl }) => finalUrl).toSorted(), served.web.within(2).toSorted());
  assert.ok(documents.every(({ depth }) => depth <= 2));
});
