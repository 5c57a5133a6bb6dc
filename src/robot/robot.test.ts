import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../engine/testing/eventually.ts';
import { changeState, createCrawl, deleteCrawl, findCrawl } from './crawl/crawls.ts';
import { crawlDefinition } from './crawl/options.ts';
import { robotDatabase } from './database/tables.ts';
import { askForHarvesters, listHarvesters } from './harvest/harvester-list.ts';
import { checkRequests } from './politeness/check-requests.ts';
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
  const progress: unknown[] = [];
  engine.changes.subscribe(({ kind, data }) => {
    if (kind === 'robot' && data?.progress) progress.push(data);
  });
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
  assert.ok(progress.length > 0, 'who watches hears that it goes on');
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
  assert.ok(together.length > served.web.expected().length, `${together.length} requests`);
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
  // Keepers plan and harvesters work: another crawl begins and ends meanwhile.
  const elsewhere = await servePages(t, (path) =>
    path === '/' ? ['text/html', '<p>Jedna věta.</p>'] : undefined,
  );
  const other = crawlDefinition.parse({ seeds: [`${elsewhere}/`], allowPrivate: true, ...quick });
  assert.equal((await crawl(engine, other, 'other')).statistics.documents, 1);
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
  await eventually('the alert is raised', isRaised);
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
  await eventually('the alert ends', async () => !(await isRaised()));
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
  await eventually('there are two threads', async () => (await threads()).join() === '2');
  for (const wanted of [3, 1]) {
    assert.equal(await askForHarvesters(query, { wanted }), 1);
    await eventually(`there are ${wanted}`, async () => (await threads()).join() === `${wanted}`);
  }
  await eventually('both were visited again', () => visits.changing > 2 && visits.same > 1);
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
