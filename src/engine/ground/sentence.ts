import { z } from 'zod';

/** A text for people that programs can say in another language: what it says, and the values in it. */
export interface Sentence {
  /** The sentence, for programs: `stage.broken`. Its meaning never changes. */
  readonly code: string;
  readonly parameters: SentenceParameters;
  /** The English text. */
  readonly message: string;
}

export type SentenceParameters = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>;

/** What programs get beside the English text. */
export type SentenceCode = Pick<Sentence, 'code' | 'parameters'>;

const parametersSchema: z.ZodType<SentenceParameters> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
);

/** A sentence for programs: they can say it in another language. */
export const sentenceCode = z
  .strictObject({
    code: z.string(),
    parameters: parametersSchema,
  })
  .meta({ title: 'Sentence' });

/** A sentence for people, and for programs. */
export const sentence = sentenceCode
  .extend({ message: z.string().describe('In English') })
  .meta({ title: 'SpokenSentence' });

/**
 * Declares the sentences of a part: each code with its parameters and its English text, which is written nowhere else.
 *
 * const say = defineSentences({ 'disk.low': ({ free }: { free: string }) => `only ${free} are free` });
 * say('disk.low', { free: '3 GB' }); // { code: 'disk.low', parameters: { free: '3 GB' }, message: 'only 3 GB are free' }
 */
export function defineSentences<
  // biome-ignore lint/suspicious/noExplicitAny: each entry has parameters of its own
  const Table extends Readonly<Record<string, (parameters: any) => string>>,
>(table: Table) {
  const say = <Code extends keyof Table & string>(
    code: Code,
    parameters: Parameters<Table[Code]>[0] & SentenceParameters,
  ): Sentence => ({ code, parameters, message: (table[code] as Table[Code])(parameters) });
  return Object.assign(say, { codes: Object.keys(table) });
}
