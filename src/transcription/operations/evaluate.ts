import { z } from 'zod';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { documentQueries } from '../database/database.ts';
import { errorRate, type Rate, total } from '../evaluation/compare.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { documentId, ownerOfDocument, pageName } from './rows.ts';

const mostPages = 100;
/** Of all pages together; a printed page has a few thousand. */
const mostBytes = 4 * 2 ** 20;

const rate = z
  .strictObject({
    errors: z.int().describe('What must be replaced, added or removed'),
    length: z.int().describe('Of the correct text'),
    rate: z.number().describe('CER or WER: 1 is as many errors as the correct text is long'),
  })
  .meta({ title: 'ErrorRate' });
const rates = {
  characters: rate,
  words: rate,
  anyOrder: rate.describe(
    'Words that the other text lacks, wherever they stand: it tells wrong letters from wrong reading order',
  ),
};
const ignored = (what: string) => z.boolean().default(false).describe(what);

export const documentEvaluate = defineOperation({
  name: 'document.evaluate',
  summary: 'Compare pages of a document with their correct text: wrong characters and words',
  role: 'user',
  owner: ownerOfDocument,
  heavy: 'work',
  deadlineMs: 60_000,
  // Nothing is changed, but texts are too long for an address.
  changes: true,
  audited: false,
  bodyLimit: 2 * mostBytes,
  input: z.strictObject({
    document: documentId,
    truth: z
      .array(z.strictObject({ page: pageName, text: z.string().max(500_000) }))
      .min(1)
      .max(mostPages)
      .describe('Correct texts of pages'),
    ignoreCase: ignored('Ignore upper and lower case'),
    ignoreDiacritics: ignored('Ignore accents'),
    ignorePunctuation: ignored('Ignore punctuation'),
    modernLetters: ignored('Treat long s and ligatures as the letters they stand for'),
    sameMarks: ignored('Treat all quotation marks as one, and all dashes and hyphens as one'),
    strictWhitespace: ignored('Also count line breaks and the number of spaces'),
  }),
  output: z.strictObject({
    ...rates,
    pages: z
      .array(z.strictObject({ page: z.string(), ...rates }))
      .max(mostPages)
      .describe('In the order of the input'),
    missing: z.array(z.string()).max(mostPages).describe('Pages without a stored text, which do not count'),
  }),
  example: {
    document: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11',
    truth: [{ page: 1, text: 'Chronicle of the town' }],
    ignoreCase: true,
  },
  async handler({ engine, signal }, { document, truth, ...normalisation }) {
    const { filesOf, findListed } = await import('../documents/page-list.ts');
    const { compareApart } = await import('../evaluation/compare-apart.ts');
    const queries = documentQueries(engine);
    const pages: { name: string; truth: string; found: string }[] = [];
    const missing: string[] = [];
    let bytes = truth.reduce((sum, { text }) => sum + text.length, 0);
    for (const { page, text } of truth) {
      signal.throwIfAborted();
      const row = await findListed(queries, document, page);
      if (!row) throw new PismakError('not-found', `the document has no page ${page}`);
      const files = (await filesOf(queries, [row.id])).get(row.id) ?? [];
      const file = files.find((each) => each.name === resultFiles.txt);
      if (!file) {
        missing.push(String(page));
        continue;
      }
      bytes += file.size;
      if (bytes > mostBytes)
        throw new PismakError(
          'too-large',
          `the texts have more than ${mostBytes / 2 ** 20} MB together; compare fewer pages at once`,
        );
      const found = Buffer.from(await readBlob(engine.blobs, file.hash)).toString();
      pages.push({ name: String(page), truth: text, found });
    }
    if (pages.length === 0)
      throw new PismakError(
        'not-found',
        `none of these pages has a stored text; the document needs the format txt`,
      );
    const compared = await compareApart({ pages, normalisation }, signal);
    return {
      characters: told(total(compared.map(({ characters }) => characters))),
      words: told(total(compared.map(({ words }) => words))),
      anyOrder: told(total(compared.map(({ bag }) => bag))),
      pages: compared.map(({ name, characters, words, bag }) => ({
        page: name,
        characters: told(characters),
        words: told(words),
        anyOrder: told(bag),
      })),
      missing,
    };
  },
});

const told = (of: Rate) => ({ ...of, rate: errorRate(of) });

export const evaluateOperations = [documentEvaluate];
