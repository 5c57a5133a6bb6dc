import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { makePdf } from '../text/formats/testing/make-files.ts';
import { Converter } from './converter.ts';

test('a file that can not be read says why: it is encrypted, or damaged', async (t) => {
  const directory = await temporaryDirectory(t);
  const plain = join(directory, 'plain.pdf');
  const locked = join(directory, 'locked.pdf');
  const pdf = makePdf('Kronika', 'http://www.example.cz/');
  await writeFile(plain, pdf);
  execFileSync('qpdf', ['--encrypt', 'secret', 'secret', '256', '--', plain, locked]);
  const converter = new Converter({ processes: [] });
  const kindOf = async (body: Buffer) => {
    const headers = { 'content-type': 'application/pdf' };
    const answer = { status: 200, statusText: 'OK', rawHeaders: [], headers, raw: body, body, isCut: false };
    const from = { crawl: 1, wantsScans: false, stop: new AbortController().signal };
    const converted = await converter.convert(answer, 'http://www.example.cz/a', from);
    return converted === 'stopped' ? converted : converted?.kind;
  };
  assert.deepEqual(
    [await kindOf(pdf), await kindOf(await readFile(locked)), await kindOf(Buffer.from('%PDF-1.7 ...'))],
    ['pdf', 'encrypted file', 'damaged file'],
  );
});
