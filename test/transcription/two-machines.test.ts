import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBlob } from '../../src/engine/blobs/blobs.ts';
import { executeOperation } from '../../src/engine/operation/execute-operation.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { listWorkers } from '../../src/engine/worker-record.ts';
import { allOperations } from '../../src/server/operations.ts';
import { startSystem } from '../../src/server/system.ts';
import { makeSample } from '../../src/transcription/samples/make-sample.ts';
import { WorkerElsewhere } from '../scale/worker-elsewhere.ts';

const deadlineMs = 240_000;

test('two workers that share only the servers read one document together', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.close());
  const url = await postgres.createDatabase();
  const directory = await temporaryDirectory(t);
  const { engine, close } = await startSystem(
    settingsSchema.parse({
      ...{ broker: url, coordination: url, database: url, blobs: url },
      ...{ data: join(directory, 'leader'), http: { port: 0 }, worker: { count: 0 } },
      ...{ watchdog: { periodMs: 200, reconfigurationMs: 0, minimumMessages: 0 }, log: { level: 'error' } },
    }),
    { purpose: 'test' },
  );
  t.after(close);
  for (const id of ['first', 'second']) {
    const worker = new WorkerElsewhere(join(directory, id), url, id);
    t.after(() => worker.end('SIGKILL'));
  }
  const there = async () => {
    const workers = await listWorkers(engine.coordination);
    return workers.filter(({ presence }) => (presence?.loaded.length ?? 0) >= 6).length === 2;
  };
  await eventually('both are there, with the shared stages loaded', there, deadlineMs);

  const caller = { name: 'anna', role: 'user', address: 'here' } as const;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks where it likes
  const call = async (name: string, input: object): Promise<any> => {
    const operation = allOperations.find((one) => one.name === name);
    assert.ok(operation);
    return executeOperation(engine, operation, caller, input, new AbortController().signal);
  };
  const { id: document } = await call('document.create', { name: 'Kronika' });
  const words: string[] = [];
  for (let number = 1; number <= 6; number++) {
    const { image, truth } = await makeSample('clean', number, { share: 0.2 });
    const { hash } = await engine.blobs.put(image);
    await call('document.add', { document, name: `scan ${number}`, hash });
    words.push(/\p{L}{6,}/u.exec(truth)?.[0] ?? '');
  }
  await call('document.submit', { document });
  const finished = async () =>
    ['done', 'partly', 'failed'].includes((await call('document.show', { document })).state);
  await eventually('it is finished', finished, deadlineMs);

  const { pages } = await call('document.results', { document });
  assert.equal(pages.length, 6);
  const hosts = new Set<string>();
  for (const [index, page] of pages.entries()) {
    const text = page.files.find((file: { name: string }) => file.name === 'text.txt');
    const read = Buffer.from(await readBlob(engine.blobs, text.hash)).toString();
    assert.ok(read.includes(words[index] ?? '-'), `${words[index]} in: ${read}`);
    const { log } = await call('document.page', { document, page: page.id });
    for (const [, host = ''] of log.matchAll(/ version \d+ on (\w+),/g)) hosts.add(host);
  }
  assert.deepEqual([...hosts].sort(), ['first', 'second'], 'both had a share');
});
