import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../src/engine/testing/eventually.ts';
import { freePort } from '../src/engine/testing/servers/free-port.ts';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
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
  const open = async (secret: string) => {
    const receiver = startReceiver(t, port, secret);
    await eventually('it listens', () => receiver.output.includes(`listening on ${port}`));
    return receiver;
  };
  const close = async ({ child }: { child: ChildProcess }) => {
    child.kill();
    await once(child, 'exit');
  };
  const stranger = await open(`whsec_${Buffer.alloc(32).toString('base64')}`);
  const broken = join(await temporaryDirectory(t), 'broken.ts');
  await writeFile(broken, "throw new Error('it never loads');\n");
  // No disk has this much space: an alert from the start.
  const settings = { 'alerts.webhooks': url, 'alerts.diskFreeMb': 1e12, 'webhook.allowPrivate': 'true' };
  const { run } = await startPismak(t, { ...settings, processors: `broken=${broken}` });
  /** An alert soon: the stage can't be loaded. */
  const alertAbout = (stage: string) =>
    run('stage', 'create', stage, '--processor', 'broken', '--mode', 'shared');
  const hasAlertAbout = (stage: string, { output }: { output: string }) =>
    new RegExp(`^alert\\.raised \\{.*"entity":"${stage}"`, 'm').test(output);

  await eventually('what is not signed is refused', () => /^refused /m.test(stranger.output));
  const { secret } = JSON.parse(await run('webhook', 'secret', 'create', '--json'));
  assert.doesNotMatch(stranger.output, /^alert/m);
  await close(stranger);

  const receiver = await open(secret);
  await alertAbout('one');
  await eventually('the alert is taken', () => hasAlertAbout('one', receiver));
  const next = JSON.parse(await run('webhook', 'secret', 'rotate', '--json')).secret;
  await alertAbout('two');
  await eventually('the old secret is still good', () => hasAlertAbout('two', receiver));
  assert.doesNotMatch(receiver.output, /^refused /m);
  await close(receiver);
  const changedOver = await open(next);
  await alertAbout('three');
  await eventually('the new secret is good', () => hasAlertAbout('three', changedOver));
  assert.doesNotMatch(changedOver.output, /^refused /m);

  const forged = {
    'webhook-id': '1',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  };
  assert.equal((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status, 401);
});
