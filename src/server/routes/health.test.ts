import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../engine/ground/version.ts';
import { runServer } from '../testing/running-server.ts';
import type { LifeState } from './health.ts';

test('health answers 200 only once everything is up', async (t) => {
  let state: LifeState = 'starting';
  const server = await runServer(t, { state: () => state });
  const starting = await server.send('GET', '/api/v1/health');
  assert.deepEqual([starting.status, starting.body], [503, { status: 'starting', version }]);
  state = 'up';
  const up = await server.send('GET', '/api/v1/health');
  const parts = { broker: 'ok', coordination: 'ok', database: 'ok', blobs: 'ok' };
  assert.deepEqual([up.status, up.body], [200, { status: 'ok', version, parts }]);
  state = 'stopping';
  assert.equal((await server.send('GET', '/api/v1/health')).status, 503);
});

test('health names the part that is down, and not why', async (t) => {
  const server = await runServer(t);
  await server.engine.database.close();
  const { status, body } = await server.send('GET', '/api/v1/health');
  assert.equal(status, 503);
  assert.deepEqual(body.parts, { broker: 'ok', coordination: 'ok', database: 'down', blobs: 'ok' });
});
