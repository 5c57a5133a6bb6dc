import { PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import { percent } from '../evaluation/differences-page.ts';
import type { Normalisation } from '../evaluation/symbols.ts';
import { findTexts, readText } from '../evaluation/text-files.ts';
import { documentEvaluate } from '../operations/evaluate.ts';

/** Compares pages of a document with the files NUMBER.txt of a directory, and prints the error rates. */
export async function evaluateDocument(
  client: Client,
  out: Output,
  options: { document: string; truth: string; normalisation: Normalisation },
): Promise<void> {
  const { document, truth: directory, normalisation } = options;
  const truth: { page: number; text: string }[] = [];
  for (const [name, file] of await findTexts(directory))
    if (/^\d{1,9}$/.test(name)) truth.push({ page: Number(name), text: await readText(file) });
  if (truth.length === 0)
    throw new PismakError(
      'not-found',
      `there is no NUMBER.txt in ${directory}, for example 1.txt for page 1`,
    );
  const { ignoreCase, ignoreDiacritics, ignorePunctuation, modernLetters, sameMarks, strictWhitespace } =
    normalisation;
  const answer = await client.call(documentEvaluate, {
    document,
    truth,
    ignoreCase,
    ignoreDiacritics,
    ignorePunctuation,
    modernLetters,
    sameMarks,
    strictWhitespace,
  });
  if (out.json) return out.object(answer);
  const { pages, missing, characters, words, anyOrder } = answer;
  out.list(
    [...pages, { page: 'all together', characters, words, anyOrder }],
    [
      { title: 'page', of: (row) => row.page },
      { title: 'CER', of: (row) => percent(row.characters), align: 'right' },
      { title: 'WER', of: (row) => percent(row.words), align: 'right' },
      { title: 'any order', of: (row) => percent(row.anyOrder), align: 'right' },
      { title: 'wrong characters', of: (row) => row.characters.errors },
      { title: 'of', of: (row) => row.characters.length },
    ],
  );
  if (missing.length > 0)
    out.say(`${formatCount(missing.length, 'page')} without a stored text: ${missing.join(', ')}`);
}
