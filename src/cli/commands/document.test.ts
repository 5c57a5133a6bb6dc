import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { PismakError } from '../../engine/errors.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';

const pages = { total: 3, waiting: 0, running: 0, done: 2, failed: 1, cancelled: 0 };
const document = {
  ...{ id: 'd1', name: 'Kronika', owner: 'anna', state: 'partly', language: 'ces', formats: ['txt', 'page'] },
  ...{ pipeline: 'transcription', pages, createdAt: 0, endedAt: null },
};
const sources = [{ id: 's1', name: 'a.tif', hash: 'h', size: 1, state: 'done', error: null }];

test('files of a directory are uploaded, added under their names and submitted; what is there is not sent again', async (t) => {
  const directory = await temporaryDirectory(t);
  const scans = join(directory, 'scans');
  await mkdir(scans);
  await writeFile(join(scans, 'a "1".png'), 'first');
  await writeFile(join(scans, 'b.png'), 'second');
  let lost = true;
  const uploads: string[] = [];
  const client = fakeClient(
    {
      'document.create': document,
      'document.sources': { sources: [] },
      'document.add': () => {
        // Between upload and adding somebody deleted the same bytes.
        if (!lost) return {};
        lost = false;
        throw new PismakError('blob-missing', 'it is gone');
      },
    },
    {
      async upload(content) {
        uploads.push((await buffer(content)).toString());
        return { hash: uploads.at(-1) ?? '', size: 1 };
      },
    },
  );
  const words = [
    'document',
    'submit',
    scans,
    '--lang',
    'ces+deu',
    '--formats',
    'txt,page',
    '--priority',
    'high',
  ];
  const { code, stdout, stderr } = await runCommand(words, { client });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'd1\n');
  assert.deepEqual(uploads, ['first', 'first', 'second']);
  const [created] = client.calls;
  const wanted = { name: 'scans', language: 'ces+deu', formats: ['txt', 'page'], priority: 1 };
  assert.deepEqual(created, { name: 'document.create', input: wanted });
  assert.deepEqual(client.calls.slice(3), [
    { name: 'document.add', input: { document: 'd1', name: 'a "1".png', hash: 'first' } },
    { name: 'document.add', input: { document: 'd1', name: 'b.png', hash: 'second' } },
    { name: 'document.submit', input: { document: 'd1' } },
  ]);
});

test('a document is shown with what failed and why', async () => {
  const client = fakeClient({
    'document.show': document,
    'document.pages': { pages: [{ number: 3, name: 'a.tif', error: 'torn \u001b[2J' }] },
    'document.sources': { sources },
  });
  const { stdout } = await runCommand(['document', 'show', 'd1'], { client });
  assert.match(stdout, /pages +3 total, 0 waiting, 0 running, 2 done, 1 failed, 0 cancelled/);
  assert.match(stdout, /3 +a\.tif +torn \\x1b\[2J/);
});

test('results are saved under the names of their sources, and nowhere else', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const page = { part: null, generation: 1, endedAt: 5, error: null, state: 'done' };
  const file = (name: string) => ({ name, size: 1, hash: 'x' });
  const client = fakeClient(
    {
      'document.show': document,
      'document.sources': { sources: [...sources, { ...sources[0], id: 's2', name: '../../etc/evil.png' }] },
      'document.results': {
        pages: [
          {
            ...page,
            id: 'p1',
            number: 1,
            name: 'a.tif',
            source: 's1',
            files: [file('text.txt'), file('page.xml')],
          },
          {
            ...page,
            id: 'p2',
            number: 2,
            name: '../../etc/evil.png',
            source: 's2',
            files: [file('text.txt')],
          },
        ],
      },
    },
    {
      async *stream(_name, input) {
        yield Buffer.from(JSON.stringify(input));
      },
    },
  );
  const { code, stdout } = await runCommand(['document', 'download', 'd1', '-o', out], { client });
  assert.deepEqual([code, stdout], [0, `2 pages in ${out}\n`]);
  assert.deepEqual((await readdir(out)).sort(), ['.._.._etc_evil.txt', 'a.page.xml', 'a.txt']);
  assert.match(await readFile(join(out, 'a.txt'), 'utf8'), /"page":"p1","file":"text.txt"/);
});

test('cancel, retry, delete and search are one call each', async () => {
  const calls: [string, string, object, object][] = [
    ['document cancel d1', 'document.cancel', { document: 'd1' }, { pages: 2 }],
    ['document retry d1', 'document.retry', { document: 'd1' }, { pages: 1, sources: 0 }],
    ['document delete d1', 'document.delete', { document: 'd1' }, {}],
    ['document ls --state done', 'document.ls', { state: 'done', limit: 100 }, { documents: [document] }],
    [
      'search kůň praž* --document d1',
      'search.text',
      { words: 'kůň praž*', document: 'd1', places: false, limit: 20 },
      { hits: [{ document: 'd1', name: 'Kronika', page: 1, pageName: 'a.tif', snippet: 'kůň', marks: [] }] },
    ],
  ];
  for (const [typed, name, input, answer] of calls) {
    const client = fakeClient({ [name]: answer });
    const { code, stderr } = await runCommand(typed.split(' '), { client });
    assert.deepEqual([code, stderr, client.calls], [0, '', [{ name, input }]]);
  }
});
