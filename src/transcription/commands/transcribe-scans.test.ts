import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fakeClient, runCommand } from '../../cli/testing/run-command.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { startProgram } from '../../engine/testing/child-program.ts';
import { inContainer } from '../../engine/testing/narrow-machines.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { formats as allFormats } from '../formats/output-formats.ts';
import { saveSearchable } from './download-document.ts';

const pages = { total: 1, waiting: 0, running: 0, done: 1, doubtful: 0, noText: 0, failed: 0, cancelled: 0 };
const document = { id: 'd1', state: 'done', pages };
const sources = { total: 1, split: 1, failed: 0 };

async function scansOf(t: TestContext): Promise<{ scans: string; out: string }> {
  const directory = await temporaryDirectory(t);
  const scans = join(directory, 'scans');
  await mkdir(scans);
  await writeFile(join(scans, 'good.png'), 'good');
  return { scans, out: join(directory, 'out') };
}

function elsewhere() {
  return fakeClient(
    {
      'document.create': document,
      'document.show': { ...document, sources },
      'document.sources': { sources: [] },
      'document.pages': { pages: [] },
      'document.results': { pages: [] },
    },
    { upload: async (content) => ({ hash: (await buffer(content)).toString(), size: 1 }) },
  );
}

test('where a container forbids namespaces, a page is still transcribed, and the log says what the sandbox lacks', async (t) => {
  const out = await temporaryDirectory(t);
  const [main, scan] = ['src/main.ts', 'samples/scans/typewriter-1.png'].map((path) =>
    fileURLToPath(new URL(`../../../${path}`, import.meta.url)),
  );
  const started = startProgram(t, main ?? '', ['transcribe', scan ?? '', '-o', out], [...inContainer.root]);
  assert.match((await started.rest()).join('\n'), /1 page in/);
  assert.match(await readFile(join(out, 'typewriter-1.txt'), 'utf8'), /Léta neúrodná/);
  const log = await readFile(join(out, '.pismak', 'logs', 'pismak.log'), 'utf8');
  assert.match(log, /not decoded apart: a hole .*this system does not allow it .*Docker/);
});

test('an unreadable file is reported at the end, and the others are read', async (t) => {
  const { scans, out } = await scansOf(t);
  // Latin 2, as in old archives.
  await writeFile(Buffer.concat([Buffer.from(`${scans}/`), Buffer.from('p\xf8.png', 'latin1')]), 'lost');
  const client = elsewhere();
  const words = ['--url', 'http://127.0.0.1:1', 'transcribe', scans, join(scans, 'good.png'), '-o', out];
  const { code, stdout } = await runCommand(words, { client });
  assert.equal(code, 1);
  assert.match(stdout, /its name is not in UTF-8: rename it/);
  assert.ok(client.calls.some(({ name }) => name === 'document.add'));
});

test('a PDF that can’t have a text layer is named, and the others are saved', async (t) => {
  const { scans } = await scansOf(t);
  const source = (id: string) => ({ id, name: `${id}.pdf`, hash: id, size: 4, state: 'done', error: null });
  const client = fakeClient(
    { 'document.sources': { sources: [source('locked'), source('open')] } },
    {
      async *stream(_operation, input) {
        if ((input as { source: string }).source === 'locked')
          throw new PismakError('conflict', 'it is encrypted');
        yield Buffer.from('%PDF');
      },
    },
  );
  await assert.rejects(saveSearchable(client, 'd1', scans), /locked\.pdf: it is encrypted$/);
  assert.deepEqual((await readdir(scans)).sort(), ['good.png', 'open.pdf']);
});

test('the output directory can’t be the scan directory, where the next run would read the results', async (t) => {
  const { scans } = await scansOf(t);
  const { code, stderr } = await runCommand(['transcribe', `${scans}/`, '-o', scans], {
    client: elsewhere(),
  });
  assert.equal(code, 2);
  assert.match(stderr, /can't go where the scans are.*-o .*scans\/out/);
  assert.deepEqual(await readdir(scans), ['good.png']);
});

test('a file in place of the output directory is reported with advice', async (t) => {
  const { scans, out } = await scansOf(t);
  await writeFile(out, 'in the way');
  const { code, stderr } = await runCommand(['transcribe', scans, '-o', out], { client: elsewhere() });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /directory for the results can't be made: something of that name exists already; choose/,
  );
});

test('an empty output directory, as from a variable that is not set, is refused', async (t) => {
  const { scans } = await scansOf(t);
  const { code, stderr } = await runCommand(['transcribe', scans, '-o', ''], { client: elsewhere() });
  assert.equal(code, 2);
  assert.match(stderr, /-o is empty; name a directory for the results/);
});

test('an output directory that can’t be made or written to is refused before any work', async (t) => {
  const { scans } = await scansOf(t);
  // Even root can't write there.
  for (const [output, what] of [
    ['/proc/none', 'made'],
    ['/proc/self', 'written to'],
  ] as const) {
    const client = elsewhere();
    const { code, stderr } = await runCommand(['transcribe', scans, '-o', output], { client });
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`for the results can't be ${what}: .*choose another with -o`));
    assert.doesNotMatch(stderr, /--data/);
    assert.deepEqual(client.calls, []);
  }
});

test('no output directory is made if there is nothing to read or a format is wrong', async (t) => {
  const { scans, out } = await scansOf(t);
  const nothing = await runCommand(['transcribe', join(scans, 'none'), '-o', out], { client: elsewhere() });
  assert.equal(nothing.code, 2);
  for (const [formats, said] of [
    ['txt,doc', new RegExp(`unknown format doc; use ${allFormats.join(', ')}`)],
    [',', /name at least one/],
  ] as const) {
    const client = elsewhere();
    const { code, stderr } = await runCommand(['transcribe', scans, '-o', out, '--formats', formats], {
      client,
    });
    assert.equal(code, 2);
    assert.match(stderr, said);
  }
  await assert.rejects(readdir(out), /ENOENT/);
});
