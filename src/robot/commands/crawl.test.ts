import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { lockDirectory } from '../../engine/data-directory/directory-lock.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { servePages, serveTestWeb } from '../testing/crawl-web.ts';
import { makePdf } from '../text/formats/testing/make-files.ts';
import type { ServedWeb } from '../web/serve-web.ts';
import { resolveLines, seedUrl } from '../web/web-plan.ts';
import { paragraph } from '../web/web-text.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'pismak');

async function prepare(directory: string, served: ServedWeb) {
  const { plan } = served.web;
  await writeFile(join(directory, 'hosts'), resolveLines(plan));
  await writeFile(join(directory, 'seeds.txt'), `# the beginning\n${seedUrl(plan)}\n`);
  const rules = '--req-delay 0.02 --general-pause 0.1 --max-hosts 2 --max-reqs 5 --language cs,sk,en'.split(
    ' ',
  );
  const output = join(directory, 'corpus');
  const words = [
    'robot',
    'crawl',
    join(directory, 'seeds.txt'),
    '--allow-private',
    '--resolve',
    join(directory, 'hosts'),
  ];
  return { output, words: [...words, ...rules, '-o', output] };
}

async function run(words: string[], signal?: AbortSignal) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
  // The whole group would be our own: the command starts no processes that outlive it.
  signal?.addEventListener('abort', () => child.kill('SIGKILL'));
  const [code] = await once(child, 'close');
  return { code, printed };
}

async function linesIn(directory: string, name: RegExp): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => name.test(file)).sort();
  const contents = await Promise.all(files.map((file) => readFile(join(directory, file))));
  return contents
    .flatMap((content) => gunzipSync(content).toString().split('\n'))
    .filter((line) => line !== '');
}

interface IndexFields {
  url: string;
  mime: string;
  status?: string | number;
  digest: string;
  offset: string | number;
  length: string | number;
}

function entryOf({ url, mime, digest, offset, length }: IndexFields): string {
  return `${offset} ${length} ${mime} ${digest.replace('sha1:', '')} ${url}`;
}

/** The index of a WARC file as warcio makes it. */
async function foreignIndex(file: string): Promise<IndexFields[]> {
  const { CDXIndexer } = await import('warcio');
  const entries: IndexFields[] = [];
  const files = [{ filename: basename(file), reader: createReadStream(file) }];
  for await (const entry of new CDXIndexer().iterIndex(files)) entries.push(entry as unknown as IndexFields);
  return entries;
}

test('a crawl that is killed again and again goes on where it was: every page, none twice', async (t) => {
  const served = await serveTestWeb(t, { hosts: 24, addresses: 8, pages: 12 });
  const { output, words } = await prepare(await temporaryDirectory(t), served);
  for (let kill = 1; kill <= 2; kill++) {
    const death = new AbortController();
    const running = run(words, death.signal);
    const enough = served.seen.length + 40;
    await eventually('some pages are fetched', () => served.seen.length >= enough);
    death.abort();
    await running;
  }
  const { code, printed } = await run(words);
  assert.equal(code, 0, printed);
  assert.match(printed, /documents +288/);
  const documents = (await linesIn(output, /^documents-/)).map((line) => JSON.parse(line).url);
  assert.deepEqual(documents.toSorted(), served.web.expected().toSorted());
  assert.deepEqual(served.complaints, []);
  const rules = { reqDelayMs: 20, generalPauseMs: 100, maxHosts: 2, maxReqs: 5 };
  assert.deepEqual(served.violations(rules), []);

  const audit = await run(['robot', 'audit', output]);
  assert.match(audit.printed, /\d+ requests to 24 hosts on 8 addresses: no rule was broken/);
  const again = await run(words);
  assert.match(again.printed, /0 pages written/, 'a finished crawl stays finished');
});

test('private addresses are refused unless allowed', async (t) => {
  const served = await serveTestWeb(t, { hosts: 1, addresses: 1, pages: 2 });
  const { words } = await prepare(await temporaryDirectory(t), served);
  const open = words.map((word) =>
    word === '--allow-private' ? '--contact=https://www.example.org/robot' : word,
  );
  const { printed } = await run(open);
  assert.match(printed, /documents +0/);
  assert.match(printed, /errors +private address 1\n/, 'the user learns why nothing was fetched');
  assert.equal(served.seen.length, 0, 'nobody was contacted');
});

test('the corpus has no copies, the archive refers to what it has, and the index leads to each record', async (t) => {
  const directory = await temporaryDirectory(t);
  const text = (seed: number) => paragraph(seed, 'cs', 30);
  const page = (content: string) => `<article><h1>Kronika</h1><p>${content}</p></article>`;
  const copied = page(text(1));
  const pages: Record<string, string> = {
    '/': `${page(text(2))}<a href="/a-copy">x</a> <a href="/nearly">x</a> <a href="/a">x</a>`,
    '/a': copied,
    '/a-copy': copied,
    '/nearly': page(`${text(1)} Konec.`),
  };
  const type = 'text/html; charset=utf-8';
  const origin = await servePages(t, (path) => {
    const body = pages[path];
    return body === undefined ? undefined : [type, body];
  });
  const output = join(directory, 'corpus');
  const rules =
    '--req-delay 0 --general-pause 0 --language cs,sk,en --no-main --encoding iso-8859-2 --allow-private'.split(
      ' ',
    );
  const { printed } = await run(['robot', 'crawl', `${origin}/`, ...rules, '-o', output]);
  assert.match(printed, /4 pages written/);
  const documents = (await linesIn(output, /^documents-/)).map((line) => JSON.parse(line));
  assert.equal(documents.length, 4);
  const inCorpus = (await linesIn(output, /^corpus-/)).filter((line) => line.startsWith('<doc'));
  const urls = inCorpus.map((line) => /url="([^"]*)"/.exec(line)?.[1]?.slice(origin.length));
  assert.deepEqual(urls.toSorted(), ['/', '/a']);

  const plain = gunzipSync(await readFile(join(output, 'text-00001.txt.gz')));
  assert.ok(new TextDecoder('iso-8859-2').decode(plain).includes('každý večer'));

  const warc = join(output, 'warc');
  const lines = (await readFile(join(warc, 'pismak-00001.cdxj'), 'utf8')).trim().split('\n');
  assert.deepEqual(lines, lines.toSorted());
  assert.equal(lines.filter((line) => line.includes('"warc/revisit"')).length, 1);
  const bytes = await readFile(join(warc, 'pismak-00001.warc.gz'));
  for (const line of lines) {
    const { url, offset, length } = JSON.parse(line.slice(line.indexOf('{')));
    const record = gunzipSync(bytes.subarray(Number(offset), Number(offset) + Number(length))).toString();
    assert.ok(record.includes(`WARC-Target-URI: ${url}\r\n`), url);
  }
  assert.deepEqual(
    lines.map((line) => entryOf(JSON.parse(line.slice(line.indexOf('{'))))).toSorted(),
    (await foreignIndex(join(warc, 'pismak-00001.warc.gz'))).map(entryOf).toSorted(),
    'another program reads the archive and makes the same index of it',
  );

  const { crawl } = JSON.parse(await readFile(join(output, '.robot.json'), 'utf8'));
  const again = join(directory, 'again');
  const data = ['--data', join(output, '.pismak')];
  const exported = await run([...data, 'robot', 'export', crawl, '-o', again, '--release']);
  assert.match(exported.printed, /4 pages written.*segments? deleted/s);
  assert.deepEqual((await linesIn(again, /^corpus-/)).length, (await linesIn(output, /^corpus-/)).length);
  const listed = await run([...data, 'robot', 'segments', crawl]);
  assert.match(listed.printed, /nothing stored/);
});

test('a PDF without text is read by the pipeline that the command names, page by page', async (t) => {
  const directory = await temporaryDirectory(t);
  const pdf = makePdf('', 'http://example.org/').toString('latin1');
  const origin = await servePages(t, (path) => (path === '/scan.pdf' ? ['application/pdf', pdf] : undefined));
  const sentence = 'Kronika obce se psala dlouhá léta a každý večer ji někdo četl dětem.';
  const config = join(directory, 'reader.ini');
  await writeFile(config, `COMMAND = test -s in/page.jpg && echo '${sentence}' > out/page.txt\n`);
  const data = ['--data', join(directory, 'data'), '--set', 'command.allow=*'];
  const output = join(directory, 'corpus');
  const words = ['robot', 'crawl', `${origin}/scan.pdf`, '--allow-private', '--scans', 'read', '-o', output];
  const idle = await run([...data, '--set', 'worker.count=0', ...words]);
  assert.match(idle.printed, /no worker would read the scans: set worker.count/);
  const early = await run([...data, ...words]);
  assert.match(early.printed, /there is no pipeline read/);
  const stage = ['stage', 'create', 'reader', '--processor', 'command', '--mode', 'shared'];
  await run([...data, ...stage, '--stage-config', `@${config}`]);
  await run([...data, 'pipeline', 'create', 'read', 'reader', 'unused']);
  const { code, printed } = await run([...data, ...words, '--general-pause', '0', '--req-delay', '0']);
  assert.equal(code, 0, printed);
  const pages = (await linesIn(output, /^documents-/)).map((line) => JSON.parse(line));
  const { finalUrl, text, language, sourceKind } = pages[1] ?? {};
  assert.deepEqual(
    { finalUrl, text, language, sourceKind },
    { finalUrl: `${origin}/scan.pdf#page=1`, text: sentence, language: 'cs', sourceKind: 'pdf' },
  );
});

test('a crawl that waits for its segmenter says so', async (t) => {
  const output = await temporaryDirectory(t);
  const site = await servePages(t, (path) =>
    path === '/' ? ['text/html', '<p>Jedna věta.</p>'] : undefined,
  );
  const rules = ['--allow-private', '--req-delay', '0', '--general-pause', '0'];
  const words = ['robot', 'crawl', `${site}/`, ...rules, '--segmenter', 'http://127.0.0.1:1/', '-o', output];
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  child.stderr.on('data', (data) => (printed += data));
  await eventually('it says so', () => /alert: the segmenter of crawl .* does not answer/.test(printed));
});

test('a crawl of others needs a contact', async (t) => {
  const directory = await temporaryDirectory(t);
  const { code, printed } = await run([
    'robot',
    'crawl',
    'https://www.example.cz/',
    '-o',
    join(directory, 'corpus'),
  ]);
  assert.equal(code === 0, false);
  assert.match(printed, /contact is missing/);
  assert.deepEqual(await readdir(directory), [], 'what is refused leaves nothing behind');
});

test('a directory with another corpus is left as it is, and a crawl keeps the options that it was started with', async (t) => {
  const directory = await temporaryDirectory(t);
  const page = `<p>${paragraph(1, 'cs', 30)}</p>`;
  const origin = await servePages(t, (path) =>
    path === '/' ? ['text/html; charset=utf-8', page] : undefined,
  );
  const quickly = ['--allow-private', '--req-delay', '0', '--general-pause', '0'];
  // A name that begins like this is none for a crawl.
  const output = join(directory, '_corpus');
  const words = ['robot', 'crawl', `${origin}/`, ...quickly, '-o', output];
  assert.match((await run(words)).printed, /documents +1/);
  const files = ['documents-00001.jsonl.gz', 'text-00001.txt.gz', 'warc/pismak-00001.warc.gz'];
  const contents = () => Promise.all(files.map((file) => readFile(join(output, file))));
  const before = await contents();

  const deeper = await run([...words, '--depth', '2']);
  assert.deepEqual([deeper.code, /started with depth = 0/.test(deeper.printed)], [1, true], deeper.printed);
  const config = join(directory, 'my.toml');
  await writeFile(config, '[robot]\nlanguage = ["de"]\n');
  assert.match((await run([...words, '--config', config])).printed, /started with language = \[\]/);

  const other = join(directory, 'other');
  assert.match((await run([...words.slice(0, -1), other])).printed, /documents +1/);
  const foreign = ['robot', 'export', 'other', '--data', join(other, '.pismak'), '-o', output];
  const { code, printed } = await run(foreign);
  assert.deepEqual([code, /contains the corpus of another crawl/.test(printed)], [1, true], printed);
  await rename(join(output, '.pismak'), join(directory, 'state'));
  assert.match((await run(words)).printed, /contains the corpus of another crawl/);
  assert.deepEqual(await contents(), before);

  const unlock = lockDirectory(join(other, '.robot'));
  assert.match((await run([...words.slice(0, -1), other])).printed, /another command is writing to/);
  unlock?.();
  await rename(join(other, 'documents-00001.jsonl.gz'), join(directory, 'taken'));
  const missing = await run([...words.slice(0, -1), other]);
  assert.match(missing.printed, /documents-00001.jsonl.gz is missing, so the corpus can't be continued/);
});
