import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../engine/testing/eventually.ts';
import { changeState, createCrawl, findCrawl, revisitCrawl } from './crawl/crawls.ts';
import { crawlDefinition } from './crawl/options.ts';
import { robotDatabase } from './database/tables.ts';
import { checkRequests, type SeenRequest } from './politeness/check-requests.ts';
import {
  crawl,
  finished,
  quick,
  runTestRobot,
  servePages,
  storedLines,
  type TestPage,
} from './testing/crawl-web.ts';

async function crawlServer(t: TestContext, listener: RequestListener, options: object) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const engine = await runTestRobot(t);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const definition = { seeds: [`${origin}/`], allowPrivate: true, ...quick, ...options };
  const { number, rules, statistics } = await crawl(engine, crawlDefinition.parse(definition));
  const stored = (await storedLines(engine, number, 'documents')).map(
    (line) => new URL(JSON.parse(line).url),
  );
  const log = (await storedLines(engine, number, 'requests')).map((line) => JSON.parse(line));
  const requests: SeenRequest[] = log.filter((line) => 'url' in line);
  return { paths: stored.map(({ pathname }) => pathname).toSorted(), requests, rules, statistics };
}

const linksTo = (...paths: string[]) => paths.map((path) => `<a href="${path}">odkaz</a>`).join(' ');

test('robots.txt is followed through redirects, and they count towards the requests that a host gets', async (t) => {
  const seen: string[] = [];
  const answer: RequestListener = ({ url = '' }, response) => {
    seen.push(url);
    const hop = /^\/robots\.txt$|^\/r([1-3])$/.exec(url);
    if (url === '/r4') return void response.end('User-agent: *\nDisallow: /secret');
    if (hop) return void response.writeHead(302, { location: `/r${Number(hop[1] ?? 0) + 1}` }).end();
    if (!/^\/(?:[a-e]|secret)?$/.test(url)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`${linksTo('/a', '/b', '/c', '/d', '/e', '/secret')}<p>Stránka ${url} o kronice.</p>`);
  };
  const { paths, requests, rules, statistics } = await crawlServer(t, answer, { maxReqs: 6 });
  assert.deepEqual(paths, ['/', '/a', '/b', '/c', '/d', '/e']);
  assert.ok(!seen.includes('/secret'));
  assert.equal(requests.length, seen.length);
  assert.equal(statistics.requests, seen.length);
  assert.deepEqual(checkRequests(requests, rules), []);
});

test('the rules of a site may lie at another one, under any name', async (t) => {
  const asked: string[] = [];
  const rules: TestPage = ['text/plain', 'User-agent: *\nDisallow: /secret\nCrawl-delay: 0.05'];
  const other = await servePages(t, (path) => (path === '/rules/first.txt' ? rules : undefined));
  const html = `${linksTo('/a', '/secret')}<p>Stránka o kronice obce.</p>`;
  const answer: RequestListener = ({ url = '' }, response) => {
    asked.push(url);
    if (url === '/robots.txt')
      return void response.writeHead(301, { location: `${other}/rules/first.txt` }).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  };
  const { paths, requests, rules: kept } = await crawlServer(t, answer, {});
  assert.deepEqual(paths, ['/', '/a']);
  assert.ok(!asked.includes('/secret'));
  assert.ok(requests.some(({ url, delayMs }) => url.endsWith('/a') && delayMs === 50));
  assert.deepEqual(checkRequests(requests, kept), []);
});

test('a request that was lost because the server had just closed an idle connection is made again, under the rules', async (t) => {
  const used = new WeakSet<Socket>();
  let lost = 0;
  const answer: RequestListener = ({ url = '', socket }, response) => {
    if (used.has(socket)) {
      lost++;
      return void socket.destroy();
    }
    used.add(socket);
    if (!/^\/[a-f]?$/.test(url)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`${linksTo('/a', '/b', '/c', '/d', '/e', '/f')}<p>Stránka ${url} o kronice.</p>`);
  };
  // Nothing would try a failed page again.
  const { paths, requests, rules, statistics } = await crawlServer(t, answer, { attempts: 1 });
  assert.deepEqual(paths, ['/', '/a', '/b', '/c', '/d', '/e', '/f']);
  assert.ok(lost > 3);
  assert.equal(statistics.requests, requests.length);
  assert.deepEqual(checkRequests(requests, rules), []);
  assert.equal(requests.filter((line) => 'reason' in line && line.reason === 'connection lost').length, lost);
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

test('a page that robots.txt forbids counts once, however often the rules are read', async (t) => {
  let robotsReads = 0;
  const origin = await servePages(t, (path) => {
    if (path === '/robots.txt') {
      robotsReads++;
      return ['text/plain', 'User-agent: *\nDisallow: /secret'];
    }
    return path === '/' ? ['text/html', '<a href="/secret">a</a><p>Kronika obce.</p>'] : undefined;
  });
  const engine = await runTestRobot(t);
  const definition = crawlDefinition.parse({ seeds: [`${origin}/`], allowPrivate: true, ...quick });
  const { id, number } = await crawl(engine, definition);
  await robotDatabase(engine)
    .query.updateTable('robot_domain')
    .set({ robotsAt: 1 })
    .where('crawl', '=', number)
    .execute();
  await revisitCrawl(engine, { crawl: id, owner: 'local' }, engine.clock.now());
  const { statistics } = await finished(engine, id);
  assert.equal(robotsReads, 2);
  assert.equal(statistics.disallowed, 1);
});

test('a crawl stops after the number of batches that it may make; resumed, it makes as many again', async (t) => {
  const origin = await servePages(t, (path) =>
    path === '/'
      ? ['text/html', '<a href="/a">a</a> <a href="/b">b</a><p>Kronika obce.</p>']
      : ['text/html', `<p>Kronika obce ${path}.</p>`],
  );
  const engine = await runTestRobot(t);
  const definition = crawlDefinition.parse({
    seeds: [`${origin}/`],
    allowPrivate: true,
    ...quick,
    maxReqs: 4,
    batches: 1,
  });
  const { id } = await createCrawl(engine, { name: 'test', owner: 'local', limit: 0 }, definition);
  const documents: number[] = [];
  for (let run = 0; run < 2; run++) {
    await changeState(engine, { crawl: id, owner: 'local' }, 'running');
    const { statistics } = await eventually('the crawl has stopped', async () => {
      const row = await findCrawl(robotDatabase(engine).query, id, 'local');
      return row.state !== 'running' && row;
    });
    documents.push(JSON.parse(statistics).documents);
  }
  assert.deepEqual(documents, [1, 3]);
});
