import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../engine/ground/version.ts';
import type { LifeState } from '../routes/health.ts';
import { runServer } from '../testing/running-server.ts';

test('a person who opens the address sees a page: what it is, whether it works, where to go on', async (t) => {
  const server = await runServer(t);
  const { status, text, headers } = await server.send('GET', '/');
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.ok(text.includes(`Pismak ${version}`));
  assert.match(text, /Everything works\./);
  assert.doesNotMatch(text, /<script/);
  for (const [, target = ''] of text.matchAll(/href="([^"]+)"/g)) {
    assert.equal((await server.send('GET', target)).status, 200, target);
  }
});

test('the page tells about the first administrator while there is none, without the secret of the link', async (t) => {
  const server = await runServer(t);
  const token = new URL((await server.setupLink()) ?? '').hash.slice(1);
  const { text } = await server.send('GET', '/');
  assert.match(text, /Nobody can sign in yet/);
  assert.ok(token.length > 10 && !text.includes(token));
  await server.signUp('anna', 'admin');
  assert.doesNotMatch((await server.send('GET', '/')).text, /Nobody can sign in yet/);
});

test('the page is there when a store is not, and names it', async (t) => {
  let state: LifeState = 'up';
  const server = await runServer(t, { state: () => state });
  await server.engine.database.close();
  const { status, text } = await server.send('GET', '/');
  assert.equal(status, 200);
  assert.match(text, /A part does not answer/);
  assert.match(text, /database<\/td><td><span class="state down">/);
  state = 'stopping';
  assert.match((await server.send('GET', '/')).text, /Stopping/);
});
