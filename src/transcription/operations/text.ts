import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { documentQueries } from '../database/database.ts';
import { pageStates } from '../documents/document.ts';
import { documentId, ownerOfDocument, pageName } from './rows.ts';

const side = z.int().nonnegative();
const confidence = z.number().min(0).max(1).nullable();

/** Lists instead of objects: a page of 5,000 words then takes 200 KB instead of 500. */
const word = z.tuple([z.string(), side, side, side, side, confidence]);

export const documentText = defineOperation({
  name: 'document.text',
  summary: 'Read the text of a page with the place and confidence of each line and word, in reading order',
  role: 'reader',
  owner: ownerOfDocument,
  changes: false,
  input: z.strictObject({ document: documentId, page: pageName }),
  output: z.strictObject({
    page: z.string().describe('Id of the page'),
    number: z.int(),
    state: z.enum(pageStates).describe('Only pages that were read have lines'),
    width: z
      .int()
      .nullable()
      .describe('Of the image that all places refer to, in pixels: that of document.image'),
    height: z.int().nullable(),
    language: z.string().nullable(),
    confidence: confidence.describe('Mean over the words; null if unknown'),
    doubtfulBelow: z.number().describe('Words of less confidence count as doubtful'),
    lines: z.array(
      z.strictObject({
        box: z.tuple([side, side, side, side]).describe('Left, top, width, height'),
        paragraph: z.int().describe('Counted from 0 through the page'),
        kind: z.enum(['text', 'table', 'image', 'separator']).describe('Of the region that it is in'),
        confidence,
        words: z.array(word).describe('Text, left, top, width, height, confidence'),
      }),
    ),
  }),
  example: { document: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11', page: 1 },
  async handler({ engine, signal }, { document, page: named }) {
    const [{ findListed }, { linesOfPage }, { sureWord }] = await Promise.all([
      import('../documents/page-list.ts'),
      import('../documents/lines-of-page.ts'),
      import('../documents/page-quality.ts'),
    ]);
    const row = await findListed(documentQueries(engine), document, named);
    if (!row) throw new PismakError('not-found', `the document has no page ${named}`);
    signal.throwIfAborted();
    const { id, number, state, width, height, language } = row;
    const shown = { page: id, number, language, confidence: row.confidence, doubtfulBelow: sureWord };
    const text = await linesOfPage(engine, row);
    return { ...shown, state: z.enum(pageStates).parse(state), width, height, lines: [], ...text };
  },
});
