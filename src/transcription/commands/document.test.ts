import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fakeClient, runCommand } from '../../cli/testing/run-command.ts';
import { sampleOf } from '../../cli/testing/sample-of.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { documentRow, pageRow } from '../operations/rows.ts';

const pages = { total: 3, waiting: 0, running: 0, done: 2, doubtful: 0, noText: 0, failed: 1, cancelled: 0 };
const document = {
  id: 'd1',
  name: 'Kronika',
  owner: 'anna',
  state: 'partly',
  language: 'ces',
  formats: ['txt', 'page'],
  pipeline: 'transcription',
  pages,
  createdAt: 0,
  endedAt: null,
};
const shown = { ...document, sources: { total: 2, split: 2, failed: 0 } };
const sources = [{ id: 's1', name: 'a.tif', hash: 'h', size: 1, state: 'done', error: null }];

test('files of a directory are uploaded, added by name and submitted; sources already there are not sent again', async (t) => {
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
        // Somebody deleted the same bytes between upload and addition.
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

test('show lists what failed and why, and what is doubtful', async () => {
  const pageIn = ({ state }: { state: string }) => ({
    ...sampleOf(pageRow),
    number: 3,
    name: 'a.tif',
    state,
    error: state === 'failed' ? 'torn \u001b[2J' : null,
    confidence: 0.625,
    words: 7,
  });
  const client = fakeClient({
    'document.show': shown,
    'document.pages': (input: { state: string }) => ({
      pages: input.state === 'no-text' ? [] : [pageIn(input)],
    }),
    'document.sources': { sources },
  });
  const { stdout } = await runCommand(['document', 'show', 'd1'], { client });
  assert.match(stdout, /sources +2 total, 2 split, 0 failed/);
  assert.match(
    stdout,
    /pages +3 total, 0 waiting, 0 running, 2 done, 0 doubtful, 0 without text, 1 failed, 0 cancelled/,
  );
  assert.match(stdout, /3 +a\.tif +doubtful +7 +63 %/);
  assert.match(stdout, /3 +a\.tif +torn \\x1b\[2J/);
});

test('results are saved under the names of their sources, and nowhere else', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const page = { ...sampleOf(pageRow), part: null, endedAt: 5, error: null, state: 'done' };
  const file = (name: string) => ({ name, size: 1, hash: 'x' });
  const client = fakeClient(
    {
      'document.show': shown,
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
  const { code, stdout, stderr } = await runCommand(['document', 'download', 'd1', '-o', out], { client });
  assert.deepEqual([code, stdout], [1, `2 pages in ${out}\n`]);
  assert.match(
    stderr,
    /not complete: partly, 2 of 3 pages done, 1 failed; `pismak document show d1` says why/,
  );
  assert.deepEqual((await readdir(out)).sort(), ['__.._etc_evil.txt', 'a.page.xml', 'a.txt']);
  assert.match(await readFile(join(out, 'a.txt'), 'utf8'), /"page":"p1","file":"text.txt"/);
});

test('twelve pages are saved as twelve files, however alike their names are', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const names = [
    'scan.png',
    'scan~2.png',
    'Scan.PNG',
    'a:b.png',
    'a?b.png',
    'k\u016f\u0148.png',
    'ku\u030an\u030c.png',
    'x'.repeat(250),
    `${'x'.repeat(250)}y`,
  ];
  const inBox = names.map((name) => ({ source: 'box', name, part: null }));
  const others = [
    { source: 'book', name: 'book.pdf', part: 12 },
    { source: 'scan', name: 'book-0012.png', part: null },
    { source: 'again', name: 'book-0012.png', part: null },
  ];
  const all = [...inBox, ...others].map((page, index) => ({
    ...sampleOf(pageRow),
    ...page,
    id: `p${index}`,
    number: index + 1,
    state: 'done',
    files: [{ name: 'text.txt', size: 1, hash: `h${index}` }],
  }));
  const source = { hash: 'h', size: 1, state: 'done', error: null };
  const client = fakeClient(
    {
      'document.show': { ...shown, state: 'done', pages: { ...pages, total: 12, done: 12, failed: 0 } },
      'document.sources': {
        sources: [
          { ...source, id: 'box', name: 'box.zip' },
          { ...source, id: 'book', name: 'book.pdf' },
          { ...source, id: 'scan', name: 'book-0012.png' },
          { ...source, id: 'again', name: 'book-0012.png' },
        ],
      },
      'document.results': { pages: all },
    },
    {
      async *stream(_name, input) {
        yield Buffer.from(JSON.stringify(input));
      },
    },
  );
  const words = ['document', 'download', 'd1', '-o', out];
  for (const round of ['first', 'second']) {
    const { code, stdout, stderr } = await runCommand(words, { client });
    assert.deepEqual([code, stdout], [0, `12 pages in ${out}\n`], stderr);
    const files = await readdir(out);
    assert.equal(files.length, 12, `${round}: ${files.sort().join(' ')}`);
    assert.equal(new Set(files.map((name) => name.normalize('NFC').toLowerCase())).size, 12);
  }
});

test('cancel, retry, ls and search are one call each', async () => {
  const calls: [string, string, object, object][] = [
    ['document cancel d1', 'document.cancel', { document: 'd1' }, { pages: 2 }],
    [
      'document retry d1 --unfinished',
      'document.retry',
      { document: 'd1', unfinished: true },
      { pages: 1, sources: 1 },
    ],
    ['document retry d1', 'document.retry', { document: 'd1' }, { pages: 1, sources: 0 }],
    [
      'document ls --state done',
      'document.ls',
      { state: ['done'] },
      { documents: [{ ...sampleOf(documentRow), ...document }], total: 1 },
    ],
    [
      'search kůň praž* --document d1',
      'search.text',
      { words: 'kůň praž*', document: 'd1' },
      {
        hits: [
          {
            document: 'd1',
            name: 'Kronika',
            page: 1,
            pageId: 'p',
            pageName: 'a.tif',
            width: null,
            height: null,
            snippet: 'kůň',
            marks: [],
          },
        ],
        withoutText: 0,
      },
    ],
  ];
  for (const [typed, name, input, answer] of calls) {
    const client = fakeClient({ [name]: answer });
    const { code, stderr } = await runCommand(typed.split(' '), { client });
    assert.deepEqual([code, stderr, client.calls], [0, '', [{ name, input }]]);
  }
});

const running = {
  ...document,
  state: 'running',
  pages: { total: 10, waiting: 4, running: 2, done: 3, doubtful: 0, noText: 0, failed: 1, cancelled: 0 },
  sources: { total: 4, split: 2, failed: 1 },
};
const soFar = 'running, 3 of 10 pages done, 1 failed, 1 file could not be opened, 1 file not opened yet';

test('an unknown priority is refused with a list of the known ones', async () => {
  const { code, stderr } = await runCommand(['document', 'submit', 'scans', '--priority', 'urgent']);
  assert.equal(code, 2);
  assert.match(stderr, /'urgent' is invalid. it must be high or normal/);
});

test('a retry with nothing to send says why', async () => {
  const none = { total: 2, waiting: 0, running: 0, done: 2, doubtful: 0, noText: 0, failed: 0, cancelled: 0 };
  const cases: [object, RegExp][] = [
    [{ state: 'done', pages: none }, /nothing in document d1 has failed \(done, 2 of 2 pages done\)/],
    [{ state: 'running', pages: none }, /nothing in document d1 has failed so far/],
    [{ state: 'open' }, /has not been submitted yet/],
    [{ state: 'partly' }, /1 page of document d1 could not be opened, .*submit better files/],
  ];
  for (const [state, said] of cases) {
    const client = fakeClient({
      'document.retry': { pages: 0, sources: 0 },
      'document.show': { ...shown, ...state },
    });
    const { code, stdout } = await runCommand(['document', 'retry', 'd1'], { client });
    assert.equal(code, 0);
    assert.match(stdout, said);
  }
});

test('deleting an unfinished document says how far it was', async () => {
  const client = fakeClient({ 'document.show': running });
  const { code, stdout } = await runCommand(['document', 'delete', 'd1'], { client });
  assert.equal(code, 0);
  assert.equal(stdout, `document d1 is deleted; it was ${soFar}\n`);
  assert.deepEqual(client.calls.at(-1), { name: 'document.delete', input: { document: 'd1' } });
  const finished = fakeClient({ 'document.show': shown });
  const quiet = await runCommand(['document', 'delete', 'd1'], { client: finished });
  assert.equal(quiet.stdout, 'document d1 is deleted\n');
});

test('download saves the finished pages of an unfinished document and exits with 1', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const client = fakeClient({
    'document.show': running,
    'document.sources': { sources },
    'document.results': { pages: [] },
  });
  const words = ['document', 'download', 'd1', '-o', out];
  const { code, stderr } = await runCommand(words, { client });
  assert.equal(code, 1);
  assert.ok(
    stderr.includes(`not finished (${soFar}): 0 pages in ${out}; run the same command later to get the rest`),
  );
  const zip = await runCommand([...words, '--zip'], { client });
  assert.equal(zip.code, 1);
  assert.match(zip.stderr, /a ZIP needs the whole document; wait, or cancel it/);
});

test('a download that misses something exits with 1 and says what, in every form', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const whole = { ...pages, done: 3, failed: 0 };
  const cases: [object, number, RegExp][] = [
    [{ state: 'done', pages: whole }, 0, /^$/],
    [
      { state: 'partly', pages: whole, sources: { total: 3, split: 2, failed: 1 } },
      1,
      /d1 is not complete: partly, 3 of 3 pages done, 1 file could not be opened; `pismak document show d1`/,
    ],
    [
      { state: 'cancelled', pages: { ...whole, done: 2, cancelled: 1 } },
      1,
      /d1 is not complete: cancelled, 2 of 3 pages done; `pismak document resume d1` continues it/,
    ],
    [{ state: 'partly' }, 1, /1 failed; `pismak document show d1` says why/],
  ];
  for (const [state, expected, said] of cases)
    for (const form of [[], ['--zip'], ['--pdf'], ['--searchable']]) {
      const client = fakeClient(
        {
          'document.show': { ...shown, ...state },
          'document.sources': { sources: [{ ...sources[0], name: 'a.pdf' }] },
          'document.results': { pages: [] },
        },
        {
          async *stream() {
            yield Buffer.from('content');
          },
        },
      );
      const words = ['document', 'download', 'd1', '-o', out, ...form];
      const { code, stdout, stderr } = await runCommand(words, { client });
      assert.equal(code, expected, `${words.join(' ')}: ${stderr}`);
      assert.match(stderr, said);
      assert.match(stdout, /saved|0 pages/);
    }
});

test('the ZIP has the images unless --no-images is given', async (t) => {
  const out = join(await temporaryDirectory(t), 'out');
  const asked: unknown[] = [];
  const client = fakeClient(
    { 'document.show': shown },
    {
      async *stream(_name, input) {
        asked.push(input);
        yield Buffer.from('PK');
      },
    },
  );
  for (const more of [[], ['--no-images']]) {
    const words = ['document', 'download', 'd1', '-o', out, '--zip', ...more];
    const { stdout } = await runCommand(words, { client });
    assert.match(stdout, /saved .*Kronika\.zip\n/);
  }
  assert.deepEqual(asked, [{ document: 'd1' }, { document: 'd1', images: false }]);
});
