import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { temporaryDirectory } from '../../../engine/testing/temporary-directory.ts';
import { type CorpusDocument, openCorpus } from '../index.ts';

function page(number: number, body = `<p>Strana ${number}.</p>`): CorpusDocument {
  return {
    url: `http://www.example.cz/${number}`,
    depth: 1,
    fetchedAt: Date.UTC(2024, 4, 5) + 1000 * number,
    title: `Strana „${number}“ & další`,
    text: `Strana ${number}. Druhá věta.`,
    paragraphs: [[`Strana ${number}.`, 'Druhá věta.']],
    language: 'cs',
    usability: 0.5,
    response: {
      status: 200,
      reason: 'OK',
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Encoding', 'gzip'],
      ],
      body: Buffer.from(body),
      address: '192.0.2.1',
    },
  };
}

async function unzipped(directory: string, file: string): Promise<string> {
  return gunzipSync(await readFile(join(directory, file))).toString();
}

test('a document is in the JSON lines, the plain text, the vertical and the WARC', async (t) => {
  const directory = await temporaryDirectory(t);
  const corpus = await openCorpus(directory);
  await corpus.add(page(1));
  await corpus.close();
  const line = JSON.parse(await unzipped(directory, 'documents-00001.jsonl.gz'));
  assert.equal(line.url, 'http://www.example.cz/1');
  assert.equal(line.fetchedAt, '2024-05-05T00:00:01.000Z');
  assert.equal(line.response, undefined);
  assert.equal(await unzipped(directory, 'text-00001.txt.gz'), 'Strana 1.\nDruhá věta.\n\n');
  const tokens = (await unzipped(directory, 'corpus-00001.vert.gz')).split('\n');
  assert.match(
    tokens[0] ?? '',
    /^<doc url="http:\/\/www.example.cz\/1" title="Strana „1“ &amp; další" language="cs"/,
  );
  assert.deepEqual(tokens.slice(1, 12), [
    '<p>',
    '<s>',
    'Strana',
    '1',
    '.',
    '</s>',
    '<s>',
    'Druhá',
    'věta',
    '.',
    '</s>',
  ]);
  const warc = await unzipped(directory, 'warc/pismak-00001.warc.gz');
  assert.match(warc, /^WARC\/1\.1\r\nWARC-Type: warcinfo\r\n/);
  assert.match(warc, /WARC-Type: response\r\nWARC-Target-URI: http:\/\/www\.example\.cz\/1\r\n/);
  assert.match(
    warc,
    /HTTP\/1\.1 200 OK\r\nContent-Type: text\/html; charset=utf-8\r\nX-Orig-Content-Encoding: gzip\r\n/,
  );
});

test('the index leads to the record of a page, and a body that is stored already becomes a revisit', async (t) => {
  const directory = await temporaryDirectory(t);
  const corpus = await openCorpus(directory);
  await corpus.add(page(2, 'same'));
  await corpus.add(page(1, 'same'));
  await corpus.seal();
  await corpus.close();
  const lines = (await readFile(join(directory, 'warc/pismak-00001.cdxj'), 'utf8')).trim().split('\n');
  assert.match(lines[0] ?? '', /^cz,example,www\)\/1 20240505000001 \{/);
  const [first, second] = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))));
  assert.equal(first.mime, 'warc/revisit');
  const bytes = await readFile(join(directory, 'warc', second.filename));
  const record = gunzipSync(
    bytes.subarray(Number(second.offset), Number(second.offset) + Number(second.length)),
  );
  assert.match(
    record.toString(),
    /WARC-Target-URI: http:\/\/www\.example\.cz\/2\r\n.*\r\n\r\nsame\r\n\r\n$/s,
  );
});

test('a segment ends at its size and is told, and the next one begins', async (t) => {
  const directory = await temporaryDirectory(t);
  const sealed: string[] = [];
  const corpus = await openCorpus(directory, {
    segmentBytes: 2000,
    batchBytes: 1000,
    formats: ['documents'],
    onSealed: (files) => void sealed.push(...files),
  });
  for (let number = 0; number < 200; number += 1) await corpus.add(page(number));
  await corpus.close();
  assert.ok(sealed.length > 1, `${sealed.length} segments`);
  const names = (await readdir(directory)).filter((name) => name.startsWith('documents-')).sort();
  const lines = await Promise.all(names.map((name) => unzipped(directory, name)));
  const urls = lines
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).url);
  assert.deepEqual(
    urls,
    Array.from({ length: 200 }, (_, number) => `http://www.example.cz/${number}`),
  );
});

test('what a killed writer had not finished is cut off, and the next one goes on behind it', async (t) => {
  const directory = await temporaryDirectory(t);
  const program = join(directory, 'write.ts');
  await writeFile(
    program,
    `import { openCorpus } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
     const corpus = await openCorpus(${JSON.stringify(join(directory, 'corpus'))}, { batchBytes: 2000 });
     for (let n = 0; ; n += 1) {
       await corpus.add({ url: 'http://a.cz/' + n, depth: 0, fetchedAt: n, text: 'x'.repeat(500), paragraphs: [['Věta ' + n + '.']] });
       if (n % 10 === 9) { await corpus.flush(); console.log(n + 1); }
     }`,
  );
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let flushed = 0;
  child.stdout.on('data', (chunk) => {
    flushed = Math.max(flushed, Number(String(chunk).trim().split('\n').at(-1)));
    if (flushed >= 200) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const files = join(directory, 'corpus');
  // As if it had been killed in the middle of a write.
  const torn = join(files, 'documents-00001.jsonl.gz');
  const { size } = await stat(torn);
  await writeFile(torn, Buffer.concat([await readFile(torn), Buffer.from([0x1f, 0x8b, 8, 0, 0, 0])]));
  assert.ok((await stat(torn)).size > size);
  const corpus = await openCorpus(files);
  await corpus.add({ url: 'http://a.cz/last', depth: 0, fetchedAt: 0, paragraphs: [['Poslední věta.']] });
  await corpus.close();
  const urls = (await unzipped(files, 'documents-00001.jsonl.gz'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).url);
  assert.equal(urls.at(-1), 'http://a.cz/last');
  assert.ok(urls.length - 1 >= flushed);
  assert.equal(new Set(urls).size, urls.length);
  const sentences = (await unzipped(files, 'text-00001.txt.gz')).trim().split('\n\n');
  assert.equal(sentences.length, urls.length, 'every file has the same documents');
});

test('a corpus continues from a position that was kept, whatever was written since', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await openCorpus(directory, { segmentBytes: 1500, batchBytes: 500 });
  await first.add(page(1));
  const position = await first.flush();
  for (let number = 2; number < 50; number += 1) await first.add(page(number));
  await first.close();
  const second = await openCorpus(directory, { position });
  await second.add(page(2));
  await second.seal();
  await second.close();
  const names = (await readdir(directory)).filter((name) => name.startsWith('documents-'));
  assert.deepEqual(names, ['documents-00001.jsonl.gz']);
  const lines = (await unzipped(directory, 'documents-00001.jsonl.gz')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).url),
    ['http://www.example.cz/1', 'http://www.example.cz/2'],
  );
  assert.equal(
    (await readFile(join(directory, 'warc/pismak-00001.cdxj'), 'utf8')).trim().split('\n').length,
    2,
  );
});

test('plain text can be written in ISO-8859-2', async (t) => {
  const directory = await temporaryDirectory(t);
  const corpus = await openCorpus(directory, { encoding: 'iso-8859-2', formats: ['text'] });
  await corpus.add({
    url: 'http://a.cz/',
    depth: 0,
    fetchedAt: 0,
    paragraphs: [['Žluťoučký „kůň“ – ěščř.']],
  });
  await corpus.close();
  const bytes = gunzipSync(await readFile(join(directory, 'text-00001.txt.gz')));
  assert.equal(new TextDecoder('iso-8859-2').decode(bytes), 'Žluťoučký "kůň" - ěščř.\n\n');
});
