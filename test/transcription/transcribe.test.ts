import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineClient } from '../../src/cli/client/engine-client.ts';
import type { Engine } from '../../src/engine/composition/engine.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { findFiles } from '../../src/terminal/files/files-to-publish.ts';
import { openOutputDirectory } from '../../src/terminal/files/output-directory.ts';
import { createOutput } from '../../src/terminal/output/output.ts';
import { startProgress } from '../../src/terminal/output/progress.ts';
import type { Session } from '../../src/terminal/session.ts';
import { type TranscribeOptions, transcribe } from '../../src/transcription/commands/transcribe-scans.ts';
import { runHouse } from '../../src/transcription/testing/running-transcription.ts';

async function scansIn(directory: string, files: Record<string, string>): Promise<string> {
  const scans = join(directory, 'scans');
  await mkdir(scans, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(scans, name), text);
  return scans;
}

/** The command on an engine that runs already. */
async function run(
  engine: Engine,
  paths: string[],
  output: string,
  {
    signal = new AbortController().signal,
    ...more
  }: Partial<TranscribeOptions> & { signal?: AbortSignal } = {},
): Promise<{ said: string; error: unknown }> {
  let said = '';
  const sink = { write: (text: string) => (said += text) };
  const options = { output, lang: 'ces', formats: ['txt' as const, 'json' as const], ...more };
  const session = {
    options,
    stderr: sink,
    clock: systemClock,
    signal,
    remote: false,
    out: createOutput({ stdout: sink, stderr: sink, json: false }),
    progress: (what: string, total?: number) =>
      startProgress({ stderr: sink, clock: systemClock, what, total }),
  } as Session<TranscribeOptions>;
  let error: unknown;
  await openOutputDirectory(output);
  const wanted = { files: await findFiles(paths), name: 'scans' };
  await transcribe(session, engineClient(engine, signal), wanted).catch((caught: unknown) => {
    error = caught;
  });
  return { said, error };
}

const seen = async (directory: string) =>
  (await readdir(directory)).filter((name) => !name.startsWith('.')).sort();

test('results lie beside each other under the names of the scans, and what failed is said', async (t) => {
  const { engine } = await runHouse(t);
  const directory = await temporaryDirectory(t);
  const scans = await scansIn(directory, {
    'a.png': 'one page',
    'b.png': 'png',
    'b.jpg': 'jpg',
    'book "x".tif': 'first\fsecond\fbad page',
    'c.png': 'bad',
    'd.png': 'unreadable',
  });
  const out = join(directory, 'out');
  const { said, error } = await run(engine, [scans], out);
  assert.deepEqual(await seen(out), [
    'a.json',
    'a.txt',
    'b.jpg.json',
    'b.jpg.txt',
    'b.png.json',
    'b.png.txt',
    'book _x_-0001.json',
    'book _x_-0001.txt',
    'book _x_-0002.json',
    'book _x_-0002.txt',
  ]);
  assert.equal(await readFile(join(out, 'book _x_-0002.txt'), 'utf8'), 'second\n');
  assert.match(said, /5 pages in/);
  assert.match(said, /book "x".tif, page 3 +the page is torn/);
  assert.match(said, /c.png +split: this is not an image/);
  assert.match(said, /d.png +read: nothing can be read/);
  assert.match(String(error), /3 pages could not be read/);
});

test('started again it reads only what is new, and puts back what is missing', async (t) => {
  const { engine } = await runHouse(t);
  const directory = await temporaryDirectory(t);
  const scans = await scansIn(directory, { 'a.png': 'first', 'b.png': 'second' });
  const out = join(directory, 'out');
  const readings = () =>
    engine.events.recent({ kind: 'request.processed' }).filter(({ entity }) => entity === 'read').length;
  assert.equal((await run(engine, [scans], out)).error, undefined);
  assert.equal(readings(), 2);
  await rm(join(out, 'a.txt'));
  await scansIn(directory, { 'c.png': 'third', 'b.png': 'changed' });
  assert.equal((await run(engine, [scans], out)).error, undefined);
  assert.equal(readings(), 4);
  const texts = ['a.txt', 'b.txt', 'c.txt'].map((name) => readFile(join(out, name), 'utf8'));
  assert.deepEqual(await Promise.all(texts), ['first\n', 'changed\n', 'third\n']);
  assert.equal((await seen(out)).length, 6, 'of what has changed only the newest is there');
  assert.equal(
    (await engine.database.query.selectFrom('transcription_document as document').selectAll().execute())
      .length,
    1,
  );
  // Other wishes are another document.
  assert.equal((await run(engine, [scans], out, { lang: 'deu' })).error, undefined);
  assert.equal(
    (await engine.database.query.selectFrom('transcription_document as document').selectAll().execute())
      .length,
    2,
  );
});

test('stopped in the middle, the same command goes on', async (t) => {
  const { engine } = await runHouse(t, { workers: 0 });
  const directory = await temporaryDirectory(t);
  const scans = await scansIn(directory, { 'a.png': 'first\fsecond', 'b.png': 'third' });
  const out = join(directory, 'out');
  const interruption = new AbortController();
  const unsubscribe = engine.changes.subscribe((change) => {
    if (change.kind === 'document' && change.data?.state === 'waiting') interruption.abort();
  });
  const { error } = await run(engine, [scans], out, { signal: interruption.signal });
  unsubscribe();
  assert.match(String(error), /abort/i);
  assert.deepEqual(await seen(out), []);
  await engine.workers.start();
  assert.equal((await run(engine, [scans], out)).error, undefined);
  assert.equal((await seen(out)).length, 6);
  assert.equal(
    (await engine.database.query.selectFrom('transcription_source as source').selectAll().execute()).length,
    2,
  );
});
