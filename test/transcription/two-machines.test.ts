import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { messageOf } from '../../src/engine/ground/errors.ts';
import { workerList, workerSwitch } from '../../src/engine/operation/operations/worker.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { startZookeeper } from '../../src/engine/testing/servers/zookeeper.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import type { Client } from '../../src/terminal/client/client.ts';
import { documentShow } from '../../src/transcription/operations/document.ts';
import { documentPage } from '../../src/transcription/operations/pages.ts';
import { makeSample } from '../../src/transcription/testing/samples/make-sample.ts';
import { pismak } from '../command-line.ts';
import { type Machine, openMachine } from '../faults/machine.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { lastFirst } from '../scale/last-first.ts';
import { WorkerElsewhere } from '../scale/worker-elsewhere.ts';

const deadlineMs = 400_000;
const pageCount = 6;
const machines = ['first', 'second'];

test('two machines that share only RabbitMQ, ZooKeeper and PostgreSQL read one document together', {
  timeout: 800_000,
}, async (t) => {
  const after = lastFirst(t);
  const machine = await machineIfPossible(t);
  if (machine) after(machine.close);
  const place = machine ? { address: machine.address } : {};
  const [postgres, rabbit, zookeeper] = await Promise.all([
    startPostgres(place),
    startRabbitCluster(1, place),
    startZookeeper({ size: 1, ...place }),
  ]);
  after(() => Promise.all([postgres.close(), rabbit.close(), zookeeper.close()]));
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'up');
  const database = await postgres.createDatabase();
  const coordination = `${zookeeper.url.replace('://', '://pismak:secret@')}/pismak`;
  const up = new RunningPismak(
    data,
    {
      broker: (await rabbit.createHost()).url,
      coordination,
      database,
      blobs: database,
      'worker.count': 0,
    },
    [...endsWithUs, ...commands.up],
  );
  after(() => up.kill());
  await up.start();
  const client = up.client();
  after(() => client.close());

  const workers = machines.map((id, index) => {
    const through = [...endsWithUs, ...((index === 1 && machine?.through) || [])];
    const worker = new WorkerElsewhere(join(directory, id), coordination, id, through);
    after(() => worker.end('SIGKILL'));
    return worker;
  });
  await bothAtRecognise(client, workers);

  const scans = join(directory, 'scans');
  const words = await drawScans(scans);
  const submitted = await pismak(data, ['document', 'submit', scans, '--formats', 'txt,page']);
  assert.equal(submitted.code, 0, submitted.err);
  const document = submitted.out.trim();
  const finished = async () => {
    const shown = await client.call(documentShow, { document });
    return ['done', 'partly', 'failed', 'cancelled'].includes(shown.state) && shown;
  };
  const { state, pages } = await eventually('it is finished', finished, deadlineMs);
  assert.equal(state, 'done', JSON.stringify(pages));

  const readers = new Map<string, number>();
  for (let page = 1; page <= pageCount; page++) {
    const { log } = await client.call(documentPage, { document, page });
    const [, reader] = /^recognise version \d+ on (\w+), attempt \d+: OK/m.exec(log) ?? [];
    assert.ok(reader, log);
    readers.set(reader, (readers.get(reader) ?? 0) + 1);
  }
  t.diagnostic(`pages read: ${JSON.stringify(Object.fromEntries(readers))}`);
  assert.deepEqual([...readers.keys()].sort(), machines, 'both have read pages of it');

  const out = join(directory, 'out');
  const downloaded = await pismak(data, ['document', 'download', document, '-o', out]);
  assert.equal(downloaded.code, 0, downloaded.err);
  const names = [...words.keys()];
  assert.deepEqual(
    (await readdir(out)).sort(),
    names.flatMap((name) => [`${name}.page.xml`, `${name}.txt`]),
  );
  for (const [name, word] of words) {
    const read = await readFile(join(out, `${name}.txt`), 'utf8');
    assert.ok(read.includes(word), `${word} in ${name}: ${read}`);
  }

  // Where `up` runs, and where nothing runs and only the coordination is known.
  const elsewhere = ['--set', 'http.port=0', '--set', `coordination=${coordination}`];
  for (const [place, options] of [
    [data, []],
    [join(directory, 'third'), elsewhere],
  ] as const) {
    const { out } = await pismak(place, ['doctor', '--json', ...options]);
    const findings = JSON.parse(out) as { check: string; found: string }[];
    for (const id of machines) {
      const { found = '' } = findings.find(({ check }) => check === `worker ${id}`) ?? {};
      assert.match(
        found,
        /recognise: tesseract \d\S*: models .*ces.*; pismak .*: model print [0-9a-f]{8} for .*ces/,
      );
    }
  }
});

/** A network of its own for one of them. Where the system allows none, they are apart in everything else. */
async function machineIfPossible(t: TestContext): Promise<Machine | undefined> {
  return openMachine(Math.random).catch((error: unknown) => {
    t.diagnostic(messageOf(error));
    return undefined;
  });
}

/** Else the first one might have read everything before the other has started. */
async function bothAtRecognise(client: Client, processes: readonly WorkerElsewhere[]): Promise<void> {
  const present = async () => {
    for (const one of processes) assert.ok(!one.hasEnded, `a worker has ended: ${one.output}`);
    const { workers } = await client.call(workerList, {});
    return workers.flatMap(({ presence }) => presence ?? []);
  };
  const two = machines.length;
  await eventually('both are there', async () => (await present()).length === two, deadlineMs);
  for (const id of machines) await client.call(workerSwitch, { id, stage: 'recognise' });
  const ready = async () => (await present()).filter(({ stage }) => stage === 'recognise').length === two;
  await eventually('both serve recognise', ready, deadlineMs);
}

/** The upper part of a page each, so that reading takes longer than what comes before and pages wait for both; with a word of each. */
async function drawScans(directory: string): Promise<Map<string, string>> {
  await mkdir(directory);
  const words = new Map<string, string>();
  for (let number = 1; number <= pageCount; number++) {
    const { image, extension, truth } = await makeSample('clean', number, { share: 0.4 });
    const name = `scan-${String(number).padStart(2, '0')}`;
    await writeFile(join(directory, `${name}.${extension}`), image);
    words.set(name, /\p{L}{6,}/u.exec(truth)?.[0] ?? 'a word of six letters');
  }
  return words;
}
