import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { freePort } from '../../engine/testing/servers/free-port.ts';
import { crawl, finished, quick, runTestRobot, storedLines } from '../testing/crawl-web.ts';
import { revisitCrawl } from './crawls.ts';
import { crawlDefinition } from './options.ts';

test('a host that was given up is tried again when its crawl is revisited', async (t) => {
  const port = await freePort();
  const engine = await runTestRobot(t);
  const definition = { seeds: [`http://127.0.0.1:${port}/`], allowPrivate: true, ...quick, attempts: 1 };
  const { id, number, statistics } = await crawl(engine, crawlDefinition.parse(definition));
  assert.equal(statistics.documents, 0);
  const server = createServer((request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>The chronicle is here again.</p>');
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  assert.equal(await revisitCrawl(engine, { crawl: id, owner: 'local' }, engine.clock.now()), 1);
  await finished(engine, id);
  assert.equal((await storedLines(engine, number, 'documents')).filter(Boolean).length, 1);
});
