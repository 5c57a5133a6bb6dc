import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../engine/testing/eventually.ts';
import { changeState, createCrawl, findCrawl, revisitCrawl } from './crawl/crawls.ts';
import { crawlDefinition } from './crawl/options.ts';
import { robotDatabase } from './database/tables.ts';
import { checkRequests } from './politeness/check-requests.ts';
import {
  crawl,
  definitionFor,
  finished,
  quick,
  runTestRobot,
  serveTestWeb,
  storedLines,
} from './testing/crawl-web.ts';

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

test('two crawls that meet on the same addresses keep to the stricter rules together', async (t) => {
  const served = await serveTestWeb(t, { hosts: 6, addresses: 2, pages: 6 });
  const engine = await runTestRobot(t);
  const strict = { reqDelay: 0.06, generalPause: 0.4, maxHosts: 1, maxReqs: 4 };
  const first = crawl(engine, definitionFor(served, strict), 'strict');
  const { query } = robotDatabase(engine);
  await eventually('the first one knows both addresses', async () => {
    const known = await query.selectFrom('robot_interest').select('address').execute();
    return known.length === 2;
  });
  const [one, other] = await Promise.all([first, crawl(engine, definitionFor(served), 'quick')]);
  for (const { number } of [one, other])
    assert.equal((await storedLines(engine, number, 'documents')).length, served.web.expected().length);
  // When the first one has ended, the other goes on under its own rules.
  const { finishedAt } = await findCrawl(query, one.id, 'local');
  const together = served.seen.filter(({ at }) => at < Number(finishedAt));
  assert.deepEqual(checkRequests(together, one.rules), []);
});

test('a paused crawl asks for nothing, and goes on when it is resumed', async (t) => {
  const served = await serveTestWeb(t, { hosts: 6, addresses: 3, pages: 10 });
  const engine = await runTestRobot(t);
  const owner = 'local';
  const definition = definitionFor(served);
  const { id: named } = await createCrawl(engine, { name: 'test', owner, limit: 0 }, definition);
  await changeState(engine, { crawl: named, owner }, 'running');
  await eventually('some pages are fetched', () => served.seen.length > 10);
  await changeState(engine, { crawl: named, owner }, 'paused');
  const { query } = robotDatabase(engine);
  await eventually('all batches have ended', async () => {
    const open = await query.selectFrom('robot_batch').select('id').execute();
    return open.length === 0;
  });
  const before = served.seen.length;
  await eventually('a keeper would have planned', async () => {
    const held = await query
      .selectFrom('robot_address')
      .select('batch')
      .where('batch', 'is not', null)
      .execute();
    return held.length === 0;
  });
  assert.equal(served.seen.length, before);
  await changeState(engine, { crawl: named, owner }, 'running');
  const { number, rules } = await finished(engine, named);
  assert.equal((await storedLines(engine, number, 'documents')).length, 60);
  assert.deepEqual(served.violations(rules), []);
});

test('sitemaps and feeds lead to pages; text files and documents of other formats are read', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const answers: Record<string, [type: string, body: string]> = {
    '/robots.txt': ['text/plain', 'User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n'],
    '/sitemap.xml': ['application/xml', `<urlset><url><loc>${origin}/hidden.html</loc></url></urlset>`],
    '/': ['text/html', '<a href="/letter.rtf">a</a> <a href="/notes.txt">b</a> <a href="/feed">c</a>'],
    '/feed': [
      'application/rss+xml',
      '<rss><channel><item><title>x</title><link>/news.html</link></item></channel></rss>',
    ],
    '/hidden.html': ['text/html', '<p>Kronika obce se psala kolem roku 1907 a dodnes se čte.</p>'],
    '/news.html': ['text/html', '<p>Nové zprávy z obce přišly dnes ráno poštou.</p>'],
    '/letter.rtf': [
      'application/rtf',
      '{\\rtf1\\ansi Dear neighbours, the old chronicle was found in the attic today.}',
    ],
    '/notes.txt': ['text/plain; charset=utf-8', 'Poznámky písmáka o počasí a o tom, kdo se v obci narodil.'],
  };
  server.on('request', (request, response) => {
    const [type, body] = answers[request.url ?? ''] ?? ['text/html', ''];
    response.writeHead(body === '' ? 404 : 200, { 'content-type': type }).end(body);
  });
  const engine = await runTestRobot(t);
  const seeds = [`${origin}/`];
  const { number } = await crawl(engine, crawlDefinition.parse({ seeds, allowPrivate: true, ...quick }));
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line));
  const kinds = documents.map(({ finalUrl, sourceKind }) => `${new URL(finalUrl).pathname} ${sourceKind}`);
  const expected = ['/ html', '/hidden.html html', '/letter.rtf rtf', '/news.html html', '/notes.txt txt'];
  assert.deepEqual(kinds.toSorted(), expected);
});

test('a page that is visited again is stored again only if it has changed', async (t) => {
  let version = 1;
  const conditions: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const pages: Record<string, string> = {
      '/': '<a href="/same">a</a> <a href="/changing">b</a><p>Kronika obce se psala dlouhá léta.</p>',
      '/same': '<p>Tato stránka se nikdy nemění, ani po letech.</p>',
      '/changing': `<p>Tato stránka se mění: verze ${version}, jak každý vidí.</p>`,
    };
    const body = pages[request.url ?? ''];
    if (body === undefined) return void response.writeHead(404).end();
    const etag = `"${request.url === '/changing' ? version : 0}"`;
    if (version > 1) conditions.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const engine = await runTestRobot(t);
  const seeds = [`http://127.0.0.1:${port}/`];
  const { id, number } = await crawl(engine, crawlDefinition.parse({ seeds, allowPrivate: true, ...quick }));
  assert.equal((await storedLines(engine, number, 'documents')).length, 3);
  version = 2;
  assert.equal(await revisitCrawl(engine, { crawl: id, owner: 'local' }, engine.clock.now()), 3);
  const { statistics } = await finished(engine, id);
  assert.equal(statistics.unchanged, 2);
  assert.deepEqual(conditions.toSorted(), ['"0"', '"0"', '"1"']);
  const texts = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line).text);
  assert.equal(texts.filter((text) => /verze [12]/.test(text)).length, 2);
  assert.equal(texts.length, 4);
});
