import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runOnEngine } from '../../cli/testing/run-on-engine.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { admin, runHouse } from '../testing/running-transcription.ts';

test('a document that a quota refuses is not left open: it is deleted, or keeps what was submitted before', async (t) => {
  const settings = { transcription: { pagesWaiting: 51 } };
  const { call, engine } = await runHouse(t, { settings, workers: 0 });
  const directory = await temporaryDirectory(t);
  const submit = async (name: string, count: number) => {
    const scans = join(directory, name);
    await mkdir(scans);
    for (let index = 0; index < count; index++)
      await writeFile(join(scans, `${index}.png`), `scan ${index} of ${name}`);
    const { code, stderr } = await runOnEngine(engine, ['document', 'submit', scans], directory);
    const { documents } = await call('document.ls', {}, admin);
    return { code, stderr, documents: documents.map((row: { state: string }) => row.state) };
  };
  const large = await submit('large', 52);
  assert.equal(large.code, 1);
  assert.match(large.stderr, /the limit is 51; try again .*; document \S+ has only the files sent before/);
  assert.deepEqual(large.documents, ['waiting']);
  const small = await submit('small', 2);
  assert.equal(small.code, 1);
  assert.match(small.stderr, /the limit is 51; try again when some are done; nothing was submitted/);
  assert.deepEqual(small.documents, ['waiting'], 'only the first document is there');
});
