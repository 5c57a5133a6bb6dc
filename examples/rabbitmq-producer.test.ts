import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { settingsSchema } from '../src/engine/settings/settings.ts';
import { sharedRabbit } from '../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { startSystem } from '../src/server/system.ts';

test('a program that knows only the fields of PERO and RabbitMQ gets its results, large ones inline', async (t) => {
  const cluster = await sharedRabbit();
  t.after(() => cluster.close());
  const { url } = await cluster.createHost();
  const settings = settingsSchema.parse({
    data: await temporaryDirectory(t),
    broker: url,
    http: { port: 0 },
    worker: { count: 1 },
    watchdog: { periodMs: 100, reconfigurationMs: 100 },
    log: { level: 'error' },
  });
  const system = await startSystem(settings, { purpose: 'test' });
  t.after(() => system.close());
  const { stages, pipelines } = system.engine;
  await stages.create({ name: 'OCR', processor: 'dummy', config: 'TIME_SCALE = 0' }, 'test');
  await pipelines.prepare(['OCR', 'pero_out'], 'local');

  const size = 200_000;
  const files = await temporaryDirectory(t);
  await writeFile(join(files, 'page.jpg'), Buffer.alloc(size, 'x'));
  const program = join(import.meta.dirname, 'rabbitmq-producer.py');
  const server = url.replace(/^(amqp:\/\/[^/,]+)(?:,[^/]+)?/, '$1');
  const expected = { stages: ['pero_out'], name: 'page.jpg', size, stage: 'OCR', status: 'OK', ended: true };
  for (const lane of [[], ['--high']]) {
    // Debian's own Python, because python3-pika is installed for that one.
    const parameters = [program, ...lane, server, 'OCR', 'pero_out', join(files, 'page.jpg')];
    const { stdout } = await promisify(execFile)('/usr/bin/python3', parameters);
    assert.deepEqual(JSON.parse(stdout), { 'page.jpg': expected });
  }
});
