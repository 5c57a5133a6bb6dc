import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../engine/testing/eventually.ts';
import { changeState, createCrawl, deleteCrawl, findCrawl, revisitCrawl } from './crawl/crawls.ts';
import { crawlDefinition } from './crawl/options.ts';
import { robotDatabase } from './database/tables.ts';
import { askForHarvesters, listHarvesters } from './harvest/harvester-list.ts';
import { checkRequests, type SeenRequest } from './politeness/check-requests.ts';
import {
  crawl,
  definitionFor,
  finished,
  quick,
  runTestRobot,
  servePages,
  serveTestWeb,
  storedLines,
  type TestPage,
} from './testing/crawl-web.ts';

test('a crawl stores every page once and breaks no rule, as servers and log both see it', async (t) => {
  const served = await serveTestWeb(t);
  const engine = await runTestRobot(t, { robot: { harvesters: 2 } });
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

test('two threads share a host without a delay, and together make no more requests at once than the rules allow', async (t) => {
  const served = await serveTestWeb(t, { hosts: 1, addresses: 1, pages: 240 });
  const engine = await runTestRobot(t, { robot: { harvesters: 2 } });
  const fast = { reqDelay: 0, generalPause: 0, maxHosts: 5, maxReqs: 1_000 };
  const { number, rules } = await crawl(engine, definitionFor(served, fast));
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line).finalUrl);
  assert.deepEqual(documents.toSorted(), served.web.expected().toSorted());
  assert.deepEqual(served.violations(rules), []);
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
  const engine = await runTestRobot(t, { robot: { harvesters: 2 } });
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

test('the delay of a host holds from one batch to the next, whether a rule or its robots.txt asks for it', async (t) => {
  const link = (_: unknown, index: number) => `<a href="/${index}">další</a>`;
  const page = ['text/html', Array.from({ length: 4 }, link).join(' ')] as const;
  const engine = await runTestRobot(t);
  for (const [reqDelay, robots] of [
    [0.15, ''],
    [0.02, 'User-agent: *\nCrawl-delay: 0.15'],
  ] as const) {
    const at = await servePages(t, (path) => (path === '/robots.txt' ? ['text/plain', robots] : page));
    const definition = { seeds: [at], allowPrivate: true, ...quick, reqDelay, generalPause: 0, maxReqs: 2 };
    const { number, rules } = await crawl(engine, crawlDefinition.parse(definition), `delay ${reqDelay}`);
    const log = (await storedLines(engine, number, 'requests')).map((line) => JSON.parse(line));
    const requests = log.filter((line) => 'url' in line);
    assert.equal(requests.length, 7);
    assert.deepEqual(checkRequests(requests, rules), []);
  }
});

test('a crawl that comes after a deleted one starts from nothing', async (t) => {
  const page = [
    'text/html',
    '<p>Kronika obce se psala dlouhá léta.</p><a href="/a">a</a> <a href="/b">b</a>',
  ] as const;
  const at = await servePages(t, (path) => (path === '/robots.txt' ? undefined : page));
  const engine = await runTestRobot(t);
  for (const name of ['first', 'second']) {
    const definition = crawlDefinition.parse({ seeds: [at], allowPrivate: true, ...quick });
    const { id, statistics } = await crawl(engine, definition, name);
    assert.equal(statistics.documents, 3);
    await deleteCrawl(engine, { crawl: id, owner: 'local' });
  }
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

test('sitemaps, feeds and archives of groups lead to pages; other formats are read; what is reserved is not kept', async (t) => {
  let origin = '';
  const mail = (id: string, subject: string, text: string) =>
    `From anna@example.cz Mon Jan  1 00:00:00 2024\nFrom: Anna <anna@example.cz>\nMessage-ID: <${id}@example.cz>\nSubject: ${subject}\n\n${text}\n\n`;
  const html = 'text/html; charset=utf-8';
  const answers: Record<string, () => TestPage> = {
    '/robots.txt': () => ['text/plain', 'User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n'],
    '/.well-known/tdmrep.json': () => [
      'application/json',
      '[{"location": "/reserved/*", "tdm-reservation": 1}, {"location": "/reserved/free*", "tdm-reservation": 0}]',
    ],
    '/sitemap.xml': () => ['application/xml', `<urlset><url><loc>${origin}/hidden.html</loc></url></urlset>`],
    '/': () => [
      html,
      ['letter.rtf', 'notes.txt', 'feed', 'group.mbox', 'reserved/a.html', 'reserved/free.html']
        .map((path) => `<a href="/${path}">odkaz</a>`)
        .join(' '),
    ],
    '/feed': () => [
      'application/rss+xml',
      '<rss><channel><item><title>x</title><link>/news.html</link></item></channel></rss>',
    ],
    '/group.mbox': () => [
      'application/mbox',
      mail('1', 'Kronika', `Kroniku jsem našel na půdě, více na ${origin}/found.html`) +
        mail('2', 'Re: Kronika', 'Děkuji, hned se na ni podívám a napíšu vám.'),
    ],
    '/found.html': () => [html, '<p>Nalezená kronika leží v truhle na půdě staré školy.</p>'],
    '/reserved/a.html': () => [html, '<p>Tento text si vydavatel vyhradil a nikdo ho nemá těžit.</p>'],
    '/reserved/free.html': () => [html, '<p>Tento text je volný, ačkoli leží mezi vyhrazenými.</p>'],
    '/hidden.html': () => [html, '<p>Kronika obce se psala kolem roku 1907 a dodnes se čte.</p>'],
    '/news.html': () => [html, '<p>Nové zprávy z obce přišly dnes ráno poštou.</p>'],
    '/letter.rtf': () => [
      'application/rtf',
      '{\\rtf1\\ansi Dear neighbours, the old chronicle was found in the attic today.}',
    ],
    '/notes.txt': () => [
      'text/plain; charset=utf-8',
      'Poznámky písmáka o počasí a o tom, kdo se v obci narodil.',
    ],
  };
  origin = await servePages(t, (path) => answers[path]?.());
  const engine = await runTestRobot(t);
  const definition = crawlDefinition.parse({ seeds: [`${origin}/`], allowPrivate: true, ...quick });
  const { number } = await crawl(engine, definition);
  const documents = (await storedLines(engine, number, 'documents')).map((line) => JSON.parse(line));
  const kinds = documents.map(({ finalUrl, sourceKind }) => `${finalUrl.slice(origin.length)} ${sourceKind}`);
  const expected = [
    '/ html',
    '/found.html html',
    '/group.mbox#1%40example.cz mbox',
    '/group.mbox#2%40example.cz mbox',
    '/hidden.html html',
    '/letter.rtf rtf',
    '/news.html html',
    '/notes.txt txt',
    '/reserved/free.html html',
  ];
  assert.deepEqual(kinds.toSorted(), expected);
  assert.equal(documents.find(({ title }) => title === 'Kronika').author, 'Anna <anna@example.cz>');
});

test('a document waits while the segmenter is down, and what the segmenter says counts', async (t) => {
  const page = '<p>Kronika obce se psala dlouhá léta a každý ji četl.</p>';
  const refusing = await servePages(t, () => undefined);
  const origin = await servePages(t, (path) => (path === '/' ? ['text/html', page] : undefined));
  const engine = await runTestRobot(t);
  const options = { seeds: [`${origin}/`], allowPrivate: true, segmenter: refusing, ...quick };
  const refused = await crawl(engine, crawlDefinition.parse(options), 'refused');
  const [useless] = await storedLines(engine, refused.number, 'documents');
  assert.equal(JSON.parse(useless ?? '{}').usability, 0);

  const free = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
  const down = { ...options, segmenter: `http://127.0.0.1:${free}/` };
  const waiting = crawl(engine, crawlDefinition.parse(down), 'waiting');
  const isRaised = async () =>
    (await engine.alerts.list()).some(({ kind }) => kind === 'robot.segmenter-down');
  await eventually('the alert is raised', isRaised, 20_000);
  const service = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"usability": 0.25, "language": "sk"}');
  });
  service.listen(free, '127.0.0.1');
  await once(service, 'listening');
  t.after(() => service.close());
  const { number, statistics } = await waiting;
  const [line] = await storedLines(engine, number, 'documents');
  const { usability, language } = JSON.parse(line ?? '{}');
  assert.deepEqual({ usability, language }, { usability: 0.25, language: 'sk' });
  assert.equal(statistics.documents, 1, 'the page was fetched once');
  await eventually('the alert ends', async () => !(await isRaised()), 20_000);
});

test('pages are visited again by themselves, and harvesters come and go meanwhile', async (t) => {
  const visits = { changing: 0, same: 0 };
  const origin = await servePages(t, (path) => {
    const type = 'text/html; charset=utf-8';
    if (path === '/') return [type, `<a href="/same">a</a><p>Verze ${++visits.changing} se mění stále.</p>`];
    if (path === '/same') return [type, `<p>Tato stránka se nikdy nemění.</p><!-- ${++visits.same} -->`];
    return undefined;
  });
  const engine = await runTestRobot(t, { robot: { harvesters: 2 } });
  const days = 0.5 / 86_400;
  const definition = crawlDefinition.parse({
    seeds: [`${origin}/`],
    allowPrivate: true,
    recrawl: days,
    ...quick,
  });
  const { id } = await createCrawl(engine, { name: 'test', owner: 'local', limit: 0 }, definition);
  await changeState(engine, { crawl: id, owner: 'local' }, 'running');
  const { query } = robotDatabase(engine);
  const threads = async () => (await listHarvesters(query, engine.clock.now(), 10)).map((row) => row.threads);
  await eventually('there are two threads', async () => (await threads()).join() === '2', 20_000);
  for (const wanted of [3, 1]) {
    assert.equal(await askForHarvesters(query, { wanted }), 1);
    await eventually(`there are ${wanted}`, async () => (await threads()).join() === `${wanted}`, 20_000);
  }
  await eventually('both were visited again', () => visits.changing > 2 && visits.same > 1, 20_000);
  await changeState(engine, { crawl: id, owner: 'local' }, 'stopped');
  await eventually('all batches have ended', async () => {
    const open = await query.selectFrom('robot_batch').select('id').execute();
    return open.length === 0;
  });
  const { number } = await findCrawl(query, id, 'local');
  const urls = (await storedLines(engine, Number(number), 'documents')).map((line) => JSON.parse(line).url);
  assert.equal(urls.filter((url) => url.endsWith('/same')).length, 1, 'only the comment had changed');
  assert.ok(urls.filter((url) => url === `${origin}/`).length > 1);
});

/** Serves pages by hand; resolves to where, and to the rest of a crawl of it: pages stored, log and complaints. */
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
