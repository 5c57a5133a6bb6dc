import { degradedKinds, type SampleKind } from '../../src/transcription/testing/samples/make-sample.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { readByHand } from './by-hand.ts';
import { type ErrorRates, errorRates } from './error-rates.ts';
import { compare, percent, printMarkdown, type Target } from './report.ts';
import { type SamplePage, samplePages } from './sample-pages.ts';
import { openStageChain } from './stage-chain.ts';

/** Error rates by hand, without and with `prepare`, kind by kind; and what each stage costs. */
export async function measureQuality(
  options: { kinds: readonly SampleKind[]; each: number; processes: number },
  targets: Target[],
) {
  const { kinds, each, processes } = options;
  const pages = await samplePages(kinds, kinds.length * each, scratchDirectory());
  const byHand = errorRates(pages, (await readByHand(pages, processes)).read);
  const whole = await readWith(pages, ['prepare', 'layout', 'recognise', 'correct', 'index', 'export']);
  const bare = await readWith(pages, ['layout', 'recognise', 'correct', 'index', 'export']);
  const rates = { byHand, without: errorRates(pages, bare.read), with: errorRates(pages, whole.read) };

  console.log(`\nCER, ${each} pages of each kind\n`);
  const row = (name: string, rateOf: (rates: ErrorRates) => number | undefined) => [
    name,
    ...[rates.byHand, rates.without, rates.with].map((one) => percent(rateOf(one) ?? Number.NaN)),
  ];
  printMarkdown([
    ['', 'by hand', 'without prepare', 'with prepare'],
    ...kinds.map((kind) => row(kind, (one) => one.kinds.get(kind))),
    row('all', (one) => one.all),
  ]);
  const overall = rates.with.all / byHand.all;
  targets.push(compare('CER of the whole pipeline against by hand', '1x or less', overall, overall <= 1));
  for (const kind of degradedKinds.filter((one) => kinds.includes(one))) {
    const ratio = (rates.with.kinds.get(kind) ?? Number.NaN) / (rates.without.kinds.get(kind) ?? Number.NaN);
    targets.push(compare(`CER with prepare against without, ${kind}`, 'below 1x', ratio, ratio < 1));
  }

  const costs = meanCosts(whole.costs);
  console.log('\nCPU a page, mean (recognise: without Tesseract itself; export: all formats)\n');
  printMarkdown([
    ['stage', 'CPU seconds'],
    ...[...costs].map(([stage, seconds]) => [stage, seconds.toFixed(3)]),
  ]);
  costs.delete('recognise');
  const others = [...costs.values()].reduce((sum, one) => sum + one, 0);
  const [name, wanted] = ['CPU seconds a page of all other stages', '0.4 or less'];
  targets.push({ name, wanted, measured: others.toFixed(2), reached: others <= 0.4 });
  const listed = (one: ErrorRates) => ({ all: one.all, ...Object.fromEntries(one.kinds) });
  return {
    errorRate: {
      byHand: listed(byHand),
      withoutPrepare: listed(rates.without),
      withPrepare: listed(rates.with),
    },
    cpuSeconds: Object.fromEntries(costs),
  };
}

async function readWith(pages: readonly SamplePage[], stages: readonly string[]) {
  const chain = await openStageChain(stages, { recognise: 'ENGINE = tesseract' });
  try {
    const [first] = pages;
    // Loading libraries and compiling don't count as the cost of a page.
    if (first) await chain.run(first);
    const results: Awaited<ReturnType<typeof chain.run>>[] = [];
    for (const page of pages) results.push(await chain.run(page));
    return { read: results.map(({ page }) => page), costs: results.map(({ cpuSeconds }) => cpuSeconds) };
  } finally {
    await chain.close();
  }
}

function meanCosts(costs: readonly Map<string, number>[]): Map<string, number> {
  const stages = [...(costs[0]?.keys() ?? [])];
  const sum = (stage: string) => costs.reduce((all, each) => all + (each.get(stage) ?? 0), 0);
  return new Map(stages.map((stage) => [stage, sum(stage) / costs.length]));
}
