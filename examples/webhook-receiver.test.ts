import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { eventually } from '../src/engine/testing/eventually.ts';
import { freePort } from '../src/engine/testing/servers/free-port.ts';
import { startPismak } from '../test/start-pismak.ts';

const program = join(import.meta.dirname, 'webhook-receiver.ts');

function startReceiver(
  t: TestContext,
  port: number,
  secret: string,
): { child: ChildProcess; output: string } {
  const env = { ...process.env, WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, [program, String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const receiver = { child, output: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    receiver.output += text;
  });
  return receiver;
}

test('the receiver takes an alert that Pismak signed, and refuses what it can not verify', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const stranger = startReceiver(t, port, 'another secret');
  // No disk has this much space: an alert, told again every second.
  const alerting = { 'alerts.webhooks': url, 'alerts.diskFreeMb': 1e12, 'alerts.repeatMs': 1000 };
  const { data } = await startPismak(t, { ...alerting, 'webhook.allowPrivate': 'true' });
  await eventually('the signature is refused', () => /^refused /m.test(stranger.output));
  assert.doesNotMatch(stranger.output, /^alert/m);
  stranger.child.kill();

  const receiver = startReceiver(t, port, readSecret(data));
  await eventually('the alert is taken', () => /^alert\.\w+ \{.*disk/m.test(receiver.output), 60_000);
  assert.doesNotMatch(receiver.output, /^refused /m);

  const forged = {
    'pismak-id': '1',
    'pismak-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
  };
  assert.equal((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status, 401);
});

function readSecret(data: string): string {
  using database = new DatabaseSync(join(data, 'pismak.db'), { readOnly: true });
  return String(database.prepare("select value from secret where name = 'webhook'").get()?.value);
}
