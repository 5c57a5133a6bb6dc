import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import {
  append,
  cutFiles,
  type ExportState,
  readState,
  replaceFiles,
  writeAt,
  writeState,
} from './export-files.ts';

test('what a killed export had not noted is cut off', async (t) => {
  const directory = await temporaryDirectory(t);
  const state: ExportState = { crawl: 'c', after: 1, files: {} };
  await append(directory, state.files, 'text', Buffer.from('noted'));
  await writeState(directory, state);
  await append(directory, state.files, 'text', Buffer.from(' lost'));
  const known = await readState(directory);
  assert.ok(known);
  await cutFiles(directory, known);
  assert.equal(await readFile(join(directory, 'text-00001.txt.gz'), 'utf8'), 'noted');
});

test('new files take the place of the old ones, however often the process is killed meanwhile', async (t) => {
  const directory = await temporaryDirectory(t);
  for (const number of [1, 2, 3])
    await writeAt(directory, 'text', { number, size: 0 }, Buffer.from(`old ${number}`));
  for (const number of [1, 2])
    await writeAt(directory, 'text', { number, size: 0 }, Buffer.from(`new ${number}`), '.new');
  const files = { text: { number: 2, size: 5 } };
  const state = { crawl: 'c', after: 9, files, replacing: { text: { number: 3, size: 5 } } };
  await writeState(directory, state);
  await replaceFiles(directory, state);
  // As if it had been killed before the state was written.
  const after = await replaceFiles(directory, state);
  assert.deepEqual(after, { crawl: 'c', after: 9, files });
  assert.deepEqual(await readState(directory), after);
  const names = (await readdir(directory)).filter((name) => name.startsWith('text'));
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  assert.deepEqual(contents.toSorted(), ['new 1', 'new 2']);
});
