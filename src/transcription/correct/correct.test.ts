import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { typedLine } from '../formats/testing/pages.ts';
import { type Page, page as pageSchema } from '../page/page.ts';
import { toText } from '../text/text.ts';
import { parseCorrectConfig } from './config.ts';
import correct from './correct.ts';

function pageOf(...lines: string[]): Page {
  const box = { left: 100, top: 100, width: 500, height: 500 };
  const typed = lines.map((text, index) => typedLine(100 + 50 * index, text));
  return { width: 1000, height: 1000, regions: [{ kind: 'text', box, paragraphs: [{ box, lines: typed }] }] };
}

async function corrected(page: Page, config: string, stageFiles: Record<string, string> = {}) {
  const { files, log } = await runProcessor(correct, {
    config,
    stageFiles,
    files: { 'page.json': JSON.stringify(page) },
  });
  const after = pageSchema.parse(JSON.parse(files['page.json'] ?? ''));
  return { after, text: toText(after).trim(), log: log.join('\n') };
}

test('only whole words are replaced, with or without punctuation around them', async () => {
  const { text, log } = await corrected(pageOf('teh (teh) tehdy, „teh“'), 'teh => the');
  assert.equal(text, 'the (the) tehdy, „the“');
  assert.match(log, /words changed by rules: 3, by the dictionary: 0/);
});

test('a pattern is replaced wherever it matches in a word, with groups', async () => {
  const config = String.raw`# l and 1 look alike
/(\p{Ll})1(\p{Ll})/ => $1l$2
/^0(?=\p{L})/ => O`;
  const { text } = await corrected(pageOf('ve1mi 0patrně 1918 10'), config);
  assert.equal(text, 'velmi Opatrně 1918 10');
});

test('rules apply one after the other, and boxes and confidences stay', async () => {
  const before = pageOf('a b');
  const { after, text } = await corrected(before, 'a => b\n/b/ => cc\ncc => d');
  assert.equal(text, 'd d');
  const shape = (page: Page) =>
    JSON.stringify(page, (key, value: unknown) => (key === 'text' ? undefined : value));
  assert.equal(shape(after), shape(before));
});

test('a pattern that takes too long is skipped on the page, and the log names it', async () => {
  const { text, log } = await corrected(
    pageOf(`${'a'.repeat(60)}! teh`),
    'TIME_LIMIT = 0.05\n/^(a+)+$/ => b\nteh => the',
  );
  assert.equal(text, `${'a'.repeat(60)}! the`);
  assert.match(log, /the rule in line 2 took longer than 0\.05 s/);
});

test('rules may come from a stage file', async (t) => {
  const file = join(await temporaryDirectory(t), 'rules.txt');
  await writeFile(file, '; comment\nteh => the\n');
  const { text } = await corrected(pageOf('teh'), 'RULES = rules.txt', { 'rules.txt': file });
  assert.equal(text, 'the');
  await writeFile(file, '\nno rule\n');
  const broken = corrected(pageOf('teh'), 'RULES = rules.txt', { 'rules.txt': file });
  await assert.rejects(broken, /rules\.txt, line 2: expected WORD => WORD/);
});

test('the dictionary corrects words that are one letter off, if the recogniser was unsure', async (t) => {
  const file = join(await temporaryDirectory(t), 'slova.txt');
  await writeFile(file, 'žluťoučký\nkůň\nobecní\nkronika\t500\nkronice\t5\nkroniku\t5\n');
  const words = 'Zluťoučký OBECNI, kronikn obecní xyz';
  const { text, log } = await corrected(pageOf(words), 'DICTIONARY = slova.txt\nCERTAIN = 0.95', {
    'slova.txt': file,
  });
  assert.equal(text, 'Žluťoučký OBECNÍ, kronika obecní xyz');
  assert.match(log, /by the dictionary: 3/);
  const sure = await corrected(pageOf(words), 'DICTIONARY = slova.txt', { 'slova.txt': file });
  assert.equal(sure.text, words);
});

test('halves of hyphenated words are not corrected', async (t) => {
  const file = join(await temporaryDirectory(t), 'slova.txt');
  await writeFile(file, 'obec\nníci\n');
  const { text } = await corrected(pageOf('obecn-', 'níki'), 'DICTIONARY = slova.txt\nCERTAIN = 1', {
    'slova.txt': file,
  });
  assert.equal(text, 'obecn-\nníki');
});

test('a broken rule is refused with its line number', () => {
  const broken: [config: string, sentence: RegExp][] = [
    ['a => b\n/(/ => c', /^line 2: .*group/],
    ['/a/x => c', /^line 1: unknown flag/],
    ['two words => one', /^line 1: a rule replaces one word/],
    ['a => b\n\nCERTAIM = 3', /^line 3: unknown key CERTAIM/],
    ['CERTAIN = 3', /CERTAIN must be at most 1/],
  ];
  for (const [config, sentence] of broken) {
    assert.throws(
      () => parseCorrectConfig(config),
      (error) => error instanceof Error && sentence.test(error.message),
      config,
    );
  }
});
