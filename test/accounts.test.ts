import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../src/engine/testing/eventually.ts';
import { startPismak } from './start-pismak.ts';

const password = 'correct horse battery';

test('sessions, keys, audit and names of deleted users by the command line, over a kill -9', async (t) => {
  const { up, run, directory } = await startPismak(t, { 'worker.count': 0 });
  const signIn = (name: string, given: string) =>
    fetch(`${up.url}/api/v1/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: given }),
    });
  for (const name of ['anna', 'bert']) await up.call('user.create', { name, password, role: 'user' });

  assert.equal((await signIn('anna', password)).status, 200);
  const [session] = JSON.parse(await run('session', 'ls', '--user', 'anna', '--json'));
  assert.match(await run('session', 'end', session.id), /1 session ended/);
  assert.match(await run('session', 'ls'), /no open sessions/);

  for (let count = 0; count < 5; count++) assert.equal((await signIn('bert', 'a guess')).status, 401);
  await up.restart();
  assert.equal((await signIn('bert', password)).status, 429, 'the limit is in the database');

  const made = JSON.parse(
    await run('key', 'create', 'nightly', '--owner', 'anna', '--expires', '90d', '--json'),
  );
  const days = (made.expiresAt - Date.now()) / 86_400_000;
  assert.ok(days > 89 && days <= 90, `${days} days`);

  const csv = join(directory, 'audit.csv');
  await run('audit', 'export', '-o', csv, '--csv', '--from', '1h');
  const exported = await readFile(csv, 'utf8');
  assert.match(exported, /^[^\n]*,anna,session\.login,ok,127\.0\.0\.1,/m);
  assert.match(exported, /^[^\n]*,\(nobody\),session\.login,not-signed-in,127\.0\.0\.1,bert,5,/m);
  assert.match(exported, /^[^\n]*,local,session\.end,ok,/m);

  await run('user', 'delete', 'anna');
  await assert.rejects(
    up.call('user.create', { name: 'anna', password, role: 'user' }),
    /conflict: anna was the name of a deleted user/,
  );
  await up.call('user.create', { name: 'anna', password, role: 'user', takeOver: true });
});

test('an account under attack raises an alert', async (t) => {
  const { up, run } = await startPismak(t, { 'worker.count': 0, 'http.trustProxy': 'true' });
  await up.call('user.create', { name: 'anna', password, role: 'user' });
  for (let count = 0; count < 20; count++) {
    const answer = await fetch(`${up.url}/api/v1/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${count}` },
      body: JSON.stringify({ name: 'anna', password: 'a guess' }),
    });
    assert.equal(answer.status, 401);
  }
  await eventually('the alert', async () => /account\.attacked +anna/.test(await run('alert', 'ls')));
});
