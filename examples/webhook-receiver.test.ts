import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
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

test('the receiver takes alerts signed with the secret that a command made, also while it is replaced, and refuses others', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const stranger = startReceiver(t, port, `whsec_${Buffer.alloc(32).toString('base64')}`);
  // No disk has this much space: an alert, told again every second.
  const alerting = { 'alerts.webhooks': url, 'alerts.diskFreeMb': 1e12, 'alerts.repeatMs': 1000 };
  const { run } = await startPismak(t, { ...alerting, 'webhook.allowPrivate': 'true' });
  await eventually('what is not signed is refused', () => /^refused /m.test(stranger.output));
  const { secret } = JSON.parse(await run('webhook', 'secret', 'create', '--json'));
  assert.doesNotMatch(stranger.output, /^alert/m);
  stranger.child.kill();

  const receiver = startReceiver(t, port, secret);
  await eventually('the alert is taken', () => /^alert\.\w+ \{.*disk/m.test(receiver.output));
  const next = JSON.parse(await run('webhook', 'secret', 'rotate', '--json')).secret;
  const seen = receiver.output.length;
  const more = () => /^alert\.\w+ \{/m.test(receiver.output.slice(seen));
  await eventually('the old secret is still good', more);
  assert.doesNotMatch(receiver.output, /^refused /m);
  receiver.child.kill();
  const changedOver = startReceiver(t, port, next);
  const taken = () => /^alert\.\w+ \{/m.test(changedOver.output);
  await eventually('the new secret is good', taken);
  assert.doesNotMatch(changedOver.output, /^refused /m);

  const forged = {
    'webhook-id': '1',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  };
  assert.equal((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status, 401);
});
