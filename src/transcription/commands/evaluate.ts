import { writeFile } from 'node:fs/promises';
import { PismakError } from '../../engine/ground/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import { errorRate, type Rate } from '../evaluation/compare.ts';
import { differencesPage, percent } from '../evaluation/differences-page.ts';
import { type Evaluation, evaluate } from '../evaluation/evaluate.ts';
import type { Normalisation } from '../evaluation/symbols.ts';

interface Options extends Normalisation {
  html?: string;
}

const add: AddGroup = (group, { run }) => {
  group
    .argument('<read>', 'directory with the transcribed text: NAME.txt or NAME/text.txt')
    .argument('<truth>', 'directory with the correct text: NAME.txt')
    .option('--ignore-case', 'ignore upper and lower case')
    .option('--ignore-diacritics', 'ignore accents')
    .option('--ignore-punctuation', 'ignore punctuation')
    .option('--modern-letters', 'treat long s and ligatures as the letters they stand for')
    .option('--same-marks', 'treat all quotation marks as one, and all dashes and hyphens as one')
    .option('--strict-whitespace', 'also count line breaks and the number of spaces')
    .option('--html <file>', 'write a page with all differences marked')
    .addHelpText(
      'after',
      '\nCER and WER: characters (as a reader sees them) and words to replace, add or remove, relative to the length of the\n' +
        'correct text. `any order`: words that the other text lacks, wherever they stand; it tells wrong letters from wrong\n' +
        'reading order. `all together` sums all pages. Pages that only one side has are listed but not counted.\n\n' +
        'Examples:\n  $ pismak evaluate out/ truth/\n  $ pismak evaluate out/ truth/ --ignore-case --html differences.html',
    )
    .action(
      run<Options>(async ({ options, out, signal }, found = '', truth = '') => {
        const evaluation = await evaluate({ found, truth, normalisation: options, signal });
        if (options.html !== undefined) await writeDifferences(options.html, evaluation, options, signal);
        if (out.json) out.object(asJson(evaluation));
        else show(evaluation, out);
        if (options.html !== undefined) out.say(`differences are in ${options.html}`);
      }),
    );
};
export default add;

async function writeDifferences(
  file: string,
  evaluation: Evaluation,
  normalisation: Normalisation,
  signal: AbortSignal,
): Promise<void> {
  try {
    await writeFile(file, differencesPage(evaluation, normalisation), { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PismakError('invalid-input', `can't write ${file}; choose another file with --html`, { cause });
  }
}

function show({ pages, characters, words, bag, missing, extra }: Evaluation, out: Output): void {
  const rows = [...pages, { name: 'all together', characters, words, bag }];
  out.list(rows, [
    { title: 'page', of: (row) => row.name },
    { title: 'CER', of: (row) => percent(row.characters), align: 'right' },
    { title: 'WER', of: (row) => percent(row.words), align: 'right' },
    { title: 'any order', of: (row) => percent(row.bag), align: 'right' },
    { title: 'wrong characters', of: (row) => row.characters.errors },
    { title: 'of', of: (row) => row.characters.length },
    { title: 'wrong words', of: (row) => row.words.errors },
    { title: 'of', of: (row) => row.words.length },
  ]);
  if (missing.length > 0) out.say(`${formatCount(missing.length, 'page')} not read: ${missing.join(', ')}`);
  if (extra.length > 0) out.say(`${formatCount(extra.length, 'page')} without truth: ${extra.join(', ')}`);
}

function asJson({ pages, characters, words, bag, missing, extra }: Evaluation): object {
  const rates = (of: { characters: Rate; words: Rate; bag: Rate }) => ({
    cer: errorRate(of.characters),
    wer: errorRate(of.words),
    anyOrder: errorRate(of.bag),
    characters: of.characters,
    words: of.words,
  });
  return {
    ...rates({ characters, words, bag }),
    pages: pages.map((page) => ({ name: page.name, ...rates(page) })),
    missing,
    extra,
  };
}
