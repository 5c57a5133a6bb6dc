import { limitsOf } from '../../src/transcription/image/image-limits.ts';
import { parsePrepareConfig } from '../../src/transcription/prepare/prepare-config.ts';
import { openNativeTesseract } from '../../src/transcription/recognise/native-tesseract.ts';
import { openPismak } from '../../src/transcription/recognise/pismak/pismak.ts';
import { degradedCopies } from './degraded-copies.ts';
import { type Candidate, candidate, fit, type Judged, ours as program } from './fit-thresholds.ts';
import { readingsOf } from './readings.ts';
import { type RealPage, realPages } from './real-pages.ts';
import { compare, percent, printMarkdown, type Target } from './report.ts';

/** What to fit on and what to judge by. */
export interface FoldOptions {
  directory: string;
  /** Pages by parts of their names. */
  some: string;
  /** Where readings are kept between runs. */
  readings: string;
  /** How many; or `kinds`: each kind of page is judged by thresholds that were fitted on the other kinds. */
  folds: string;
  /** Also read a worse copy of every nth page, in the fold of its page; 0 for none. */
  degraded: number;
}

interface Row {
  one: Candidate;
  /** With the thresholds of the program, which were fitted on all pages. */
  ours: Judged;
  /** With those fitted on the other folds. */
  unseen: Judged;
}

/**
 * Cross-validation of the thresholds for second readings. Each page is judged by thresholds that were fitted without it, beside
 * `tesseract IMAGE out -l LANGUAGE`.
 */
export async function measureFolds(
  { directory, some, readings, folds, degraded }: FoldOptions,
  targets: Target[],
) {
  const first = await openNativeTesseract();
  if (!first) throw new Error('native Tesseract is not installed');
  const second = await openPismak({ limits: limitsOf(parsePrepareConfig('')) });
  const scans = await realPages(directory, some);
  const copies = degraded > 0 ? await degradedCopies(scans, readings, degraded) : [];
  const pages: Candidate[] = [];
  for (const real of [...scans, ...copies]) {
    pages.push(candidate(real, await readingsOf(real, { first, second }, readings)));
    console.error(`${real.name} is read`);
  }
  const rows: Row[] = [];
  for (const fold of foldsOf(pages, folds)) {
    const setting = await fit(pages.filter((one) => !fold.includes(one)));
    console.log(`fitted without ${namesOf(fold)}: ${JSON.stringify(setting)}`);
    for (const one of fold)
      rows.push({ one, ours: await one.judge(program), unseen: await one.judge(setting) });
  }
  console.log(`fitted on all: ${JSON.stringify(await fit(pages))}`);
  printRows(rows);
  addTargets(rows, targets);
  return rows.map(({ one, ours, unseen }) => ({
    name: one.real.name,
    kind: one.real.kind,
    hand: one.hand,
    handCpu: one.readings.hand.cpu,
    fitted: ours.errors,
    unseen: unseen.errors,
    cpu: unseen.cpu,
  }));
}

/** Pages of each kind are dealt out in turn, so that every fold has some of each. */
function foldsOf(pages: readonly Candidate[], folds: string): Candidate[][] {
  const kinds = Map.groupBy(pages, ({ real }) => real.kind);
  if (folds === 'kinds') return [...kinds.values()];
  const count = Number(folds);
  if (!(Number.isInteger(count) && count > 1)) throw new Error('--folds must be 2 or more, or `kinds`');
  // A copy goes with its page: it has the same text.
  const dealt = Map.groupBy([...kinds.values()].flat(), ({ real }) => real.truth);
  return Array.from({ length: count }, (_, fold) =>
    [...dealt.values()].filter((__, at) => at % count === fold).flat(),
  );
}

/** The page that gained least, or lost most, comes first. */
function printRows(rows: readonly Row[]): void {
  const sorted = rows.toSorted((one, other) => gain(one) - gain(other));
  console.log(
    '\nCER of each page, the worst against by hand first; fitted: on all pages, unseen: without it\n',
  );
  printMarkdown([
    ['page', 'kind', 'by hand', 'fitted', 'unseen', 'difference', 'CPU'],
    ...sorted.map(({ one, ours, unseen }) => [
      one.real.name,
      one.real.kind,
      percent(one.hand),
      percent(ours.errors),
      percent(unseen.errors),
      percent(unseen.errors - one.hand),
      `${(unseen.cpu / one.readings.hand.cpu).toFixed(2)}x`,
    ]),
  ]);
}

function gain({ one, unseen }: Row): number {
  return one.hand - unseen.errors;
}

function addTargets(rows: readonly Row[], targets: Target[]): void {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const upright = rows.filter(({ one }) => one.real.kind !== 'rotated');
  const ratio = (some: readonly Row[], which: 'ours' | 'unseen') =>
    some.reduce((all, row) => all + row[which].errors, 0) / some.reduce((all, { one }) => all + one.hand, 0);
  const worse = rows.filter(({ one, unseen }) => unseen.errors > one.hand + 0.005);
  const cpu = sum(({ unseen }) => unseen.cpu) / sum(({ one }) => one.readings.hand.cpu);
  targets.push(
    compare('CER by page, unseen', '0.80x or less', ratio(rows, 'unseen'), ratio(rows, 'unseen') <= 0.8),
    compare('CER by page, fitted', '0.80x or less', ratio(rows, 'ours'), ratio(rows, 'ours') <= 0.8),
    compare(
      'CER by page without turned pages, unseen',
      '0.92x or less',
      ratio(upright, 'unseen'),
      ratio(upright, 'unseen') <= 0.92,
    ),
    {
      name: 'pages worse by more than half a point, unseen',
      wanted: '5 % or less',
      measured: `${worse.length} of ${rows.length} ${worse.map(({ one }) => one.real.name).join(' ')}`,
      reached: worse.length <= rows.length * 0.05,
    },
    compare('CPU of all processes, unseen', '1.7x or less', cpu, cpu <= 1.7),
  );
}

function namesOf(fold: readonly { real: RealPage }[]): string {
  return fold.map(({ real }) => real.name).join(', ');
}
