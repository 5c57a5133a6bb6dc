import assert from 'node:assert/strict';
import { type Contestant, measure, type Question, type Times, timesOf } from './contest.ts';
import { eventLines, sendLines } from './ingest-rate.ts';
import type { openOurs } from './ours.ts';

type Ours = Awaited<ReturnType<typeof openOurs>>;

export interface ReaderFigures {
  /** Mean of the seed's own measurement, ms: the table over two years, one dimension, 80 calls. */
  filter2: Record<Question['over'], number>;
  together: Times & { perSecond: number };
  alone: Times;
  whileIngesting: Times & { eventsPerSecond: number };
}

const filter2Calls = 80;
const readers = 8;
const ingestingMs = 5000;

/** What the peers are not asked: the seed's measurement, readers at once, and reads while events arrive. */
export async function measureReaders(ours: Ours, questions: readonly Question[]): Promise<ReaderFigures> {
  const filter2 = { interval: 0, all: 0 };
  for (const over of ['interval', 'all'] as const) filter2[over] = await meanOfTables(ours, questions, over);
  const alone = await measure(questions, ours.series);
  const together = await askTogether(ours, questions, alone.answers);
  const whileIngesting = await readWhileIngesting(ours, questions, alone.answers);
  return { filter2, together, alone: alone.times, whileIngesting };
}

/** Every call has another filter, as a user would change it. */
async function meanOfTables(ours: Ours, questions: readonly Question[], over: Question['over']) {
  const asked = Array.from({ length: filter2Calls }, (_, call) => {
    const question = questions[call % questions.length] as Question;
    return { ...question, over, costBelow: 900_000 + 500 * call };
  });
  await measure(asked.slice(0, 3), ours.oneDimension);
  const began = performance.now();
  await measure(asked, ours.oneDimension);
  return (performance.now() - began) / filter2Calls;
}

/** Each reader asks all questions, beginning at another one. */
async function askTogether(ours: Contestant, questions: readonly Question[], expected: number[][]) {
  const began = performance.now();
  const all = await Promise.all(
    Array.from({ length: readers }, async (_, reader) => {
      const shift = Math.floor((reader * questions.length) / readers);
      const order = [...questions.slice(shift), ...questions.slice(0, shift)];
      const { ms, answers } = await measure(order, ours.series);
      assert.deepEqual(answers, [...expected.slice(shift), ...expected.slice(0, shift)]);
      return ms;
    }),
  );
  const perSecond = (readers * questions.length) / ((performance.now() - began) / 1000);
  return { ...timesOf(all.flat()), perSecond };
}

/** Events of the same user for today, which no question asks for: the answers must stay what they were. */
async function readWhileIngesting(ours: Ours, questions: readonly Question[], expected: number[][]) {
  const texts = Array.from({ length: 20 }, (_, batch) => eventLines('big', batch, 5000));
  let done = false;
  let events = 0;
  const began = performance.now();
  const ingesting = (async () => {
    for (let batch = 0; !done; batch++) {
      const { accepted } = await sendLines(
        ours.statistics,
        `live ${batch}`,
        texts[batch % texts.length] ?? '',
      );
      events += accepted;
    }
  })();
  const all: number[] = [];
  while (performance.now() - began < ingestingMs) {
    const { ms, answers } = await measure(questions, ours.series);
    all.push(...ms);
    assert.deepEqual(answers, expected, 'answers stay exact while events arrive');
  }
  const eventsPerSecond = events / ((performance.now() - began) / 1000);
  done = true;
  await ingesting;
  return { ...timesOf(all), eventsPerSecond };
}
