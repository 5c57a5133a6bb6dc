import { sampleKinds } from '../../src/transcription/testing/samples/make-sample.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { median } from '../engine/work.ts';
import { readByHand } from './by-hand.ts';
import { errorRates } from './error-rates.ts';
import { compare, percent, printMarkdown, type Target } from './report.ts';
import { samplePages } from './sample-pages.ts';
import { openEngineReader } from './through-engine.ts';

/** Both read the unprepared scans, the whole page, in Czech; in turns, so that other load on the machine affects both alike. */
export async function measureSpeed(
  options: { pages: number; rounds: number; processes: number },
  targets: Target[],
) {
  const { rounds, processes } = options;
  // Good pages: on bad ones Tesseract gives up early, and there is nothing to compare.
  const pages = await samplePages(sampleKinds.slice(0, 5), options.pages, scratchDirectory());
  const reader = await openEngineReader(processes);
  const taken: { ours: number[]; byHand: number[] } = { ours: [], byHand: [] };
  let rates = { ours: Number.NaN, byHand: Number.NaN };
  try {
    for (let round = 0; round <= rounds; round++) {
      // The two take turns going first.
      const early = round % 2 === 1 ? await readByHand(pages, processes) : undefined;
      const ours = await reader.read(pages);
      const byHand = early ?? (await readByHand(pages, processes));
      rates = { ours: errorRates(pages, ours.read).all, byHand: errorRates(pages, byHand.read).all };
      const what = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
      const times = `recognise ${ours.seconds.toFixed(1)} s, by hand ${byHand.seconds.toFixed(1)} s`;
      console.log(`${what}: ${times}, ${(byHand.seconds / ours.seconds).toFixed(2)}x`);
      if (round === 0) continue;
      taken.ours.push(ours.seconds);
      taken.byHand.push(byHand.seconds);
    }
  } finally {
    await reader.close();
  }
  // Above 1: faster than by hand.
  const ratio = median(taken.byHand) / median(taken.ours);
  console.log(
    `\n${pages.length} pages, ${processes} at a time, median of ${rounds} rounds: ${ratio.toFixed(2)}x\n`,
  );
  const line = (name: string, seconds: number, rate: number) => [
    name,
    seconds.toFixed(2),
    ((pages.length * 60) / seconds).toFixed(1),
    percent(rate),
  ];
  printMarkdown([
    ['', 'seconds', 'pages/min', 'CER'],
    line('stage recognise, embedded engine', median(taken.ours), rates.ours),
    line('tesseract by hand, xargs', median(taken.byHand), rates.byHand),
  ]);
  targets.push(
    compare('recognise against tesseract by hand', '0.95x or more', ratio, ratio >= 0.95),
    compare(
      'CER against by hand, same pages',
      '1x or less',
      rates.ours / rates.byHand,
      rates.ours <= rates.byHand,
    ),
  );
  return { pages: pages.length, processes, seconds: taken, ratio, errorRate: rates };
}
