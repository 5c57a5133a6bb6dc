import { readFile, writeFile } from 'node:fs/promises';
import {
  type Comparison,
  compareTexts,
  errorRate,
  total,
} from '../../src/transcription/evaluation/compare.ts';
import { toText } from '../../src/transcription/text/text.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { curvedCopies } from './degraded-copies.ts';
import { realByHand } from './read-by-hand.ts';
import { type RealPage, realPages } from './real-pages.ts';
import { compare, percent, printMarkdown, type Target } from './report.ts';
import { openStageChain } from './stage-chain.ts';
import { worstPage } from './worst-page.ts';

export interface Measured {
  page: RealPage;
  hand: Comparison;
  ours: Comparison;
  text: string;
  /** Seconds of all processes. */
  handCpu: number;
  cpu: number;
}

const alike = { sameMarks: true, modernLetters: true };
const stages = ['prepare', 'layout', 'recognise'];

/** Real scans, read with `tesseract IMAGE out -l LANGUAGE` and by our stages, page by page in turns. */
export async function measureReal(
  {
    directory,
    some,
    worst,
    engine,
    isCurved,
  }: {
    directory: string;
    some: string;
    worst: string | undefined;
    engine: string;
    /** Reads copies of the pages with bent lines instead. */
    isCurved: boolean;
  },
  targets: Target[],
) {
  const chain = await openStageChain(stages, { recognise: `ENGINE = ${engine}` });
  const all: Measured[] = [];
  const scans = await realPages(directory, some);
  try {
    for (const page of isCurved ? await curvedCopies(scans, scratchDirectory()) : scans) {
      const hand = realByHand(page);
      const before = cpuSeconds();
      const { name, language } = page;
      const read = await chain.run({ name, language, image: await readFile(page.path) });
      const cpu = cpuSeconds() - before;
      const text = toText(read.page);
      all.push({
        page,
        text,
        handCpu: hand.cpu,
        cpu,
        hand: compareTexts(page.truth, hand.text, alike),
        ours: compareTexts(page.truth, text, alike),
      });
      console.error(`${name}: by hand ${rate(all.at(-1)?.hand)}, with Pismak ${rate(all.at(-1)?.ours)}`);
    }
  } finally {
    await chain.close();
  }
  printPages(all);
  printKinds(all);
  addTargets(all, targets);
  if (worst) {
    await writeFile(worst, await worstPage(all));
    console.log(`\nthe worst ten pages are in ${worst}`);
  }
  return all.map(({ page, hand, ours, handCpu, cpu }) => ({
    name: page.name,
    kind: page.kind,
    hand,
    ours,
    handCpu,
    cpu,
  }));
}

/** The page that gained least, or lost most, comes first. */
function printPages(all: readonly Measured[]): void {
  const difference = ({ hand, ours }: Measured) => errorRate(ours.characters) - errorRate(hand.characters);
  console.log('\nCER of each page, the worst against by hand first\n');
  printMarkdown([
    ['page', 'kind', 'by hand', 'with Pismak', 'difference', 'CPU'],
    ...all
      .toSorted((one, other) => difference(other) - difference(one))
      .map((one) => [
        one.page.name,
        one.page.kind,
        rate(one.hand),
        rate(one.ours),
        percent(difference(one)),
        `${(one.cpu / one.handCpu).toFixed(2)}x`,
      ]),
  ]);
}

function printKinds(all: readonly Measured[]): void {
  const kinds = [...new Set(all.map(({ page }) => page.kind))];
  const row = (name: string, some: readonly Measured[]) => {
    const pairs = (['characters', 'words', 'bag'] as const).map((what) =>
      (['hand', 'ours'] as const).map((who) => percent(meanRate(some, who, what))).join(' / '),
    );
    return [name, String(some.length), ...pairs, `${ratioOf(some, 'cpu', 'handCpu').toFixed(2)}x`];
  };
  console.log('\nby hand / with Pismak, mean of the pages\n');
  printMarkdown([
    ['pages', 'n', 'CER', 'WER', 'words in any order', 'CPU'],
    ...kinds.map((kind) =>
      row(
        kind,
        all.filter(({ page }) => page.kind === kind),
      ),
    ),
    row('all', all),
  ]);
}

function addTargets(all: readonly Measured[], targets: Target[]): void {
  const ratio = (some: readonly Measured[]) =>
    meanRate(some, 'ours', 'characters') / meanRate(some, 'hand', 'characters');
  const upright = all.filter(({ page }) => page.kind !== 'rotated');
  const byCharacters =
    errorRate(total(all.map(({ ours }) => ours.characters))) /
    errorRate(total(all.map(({ hand }) => hand.characters)));
  const worse = all.filter((one) => errorRate(one.ours.characters) > errorRate(one.hand.characters) + 0.005);
  const kinds = [...new Set(upright.map(({ page }) => page.kind))];
  const worseKinds = kinds.filter((kind) => ratio(all.filter(({ page }) => page.kind === kind)) > 1);
  const cpu = ratioOf(all, 'cpu', 'handCpu');
  targets.push(
    compare('CER by page', '0.80x or less', ratio(all), ratio(all) <= 0.8),
    compare('CER by characters', '0.85x or less', byCharacters, byCharacters <= 0.85),
    compare('CER by page without turned pages', '0.92x or less', ratio(upright), ratio(upright) <= 0.92),
    {
      name: 'pages worse by more than half a point',
      wanted: '5 % or less',
      measured: `${worse.length} of ${all.length} ${worse.map(({ page }) => page.name).join(' ')}`,
      reached: worse.length <= all.length * 0.05,
    },
    {
      name: 'kinds worse than by hand',
      wanted: 'none',
      measured: worseKinds.join(', ') || 'none',
      reached: worseKinds.length === 0,
    },
    compare('CPU of all processes', '1.7x or less', cpu, cpu <= 1.7),
  );
}

function meanRate(some: readonly Measured[], who: 'hand' | 'ours', what: keyof Comparison): number {
  return some.reduce((sum, one) => sum + errorRate(one[who][what]), 0) / some.length;
}

function ratioOf(some: readonly Measured[], one: 'cpu', other: 'handCpu'): number {
  const sum = (what: 'cpu' | 'handCpu') => some.reduce((all, each) => all + each[what], 0);
  return sum(one) / sum(other);
}

function rate(comparison: Comparison | undefined): string {
  return comparison ? percent(errorRate(comparison.characters)) : '';
}
