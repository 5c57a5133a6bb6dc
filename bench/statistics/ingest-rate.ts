import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { ingest } from '../../src/statistics/ingest/ingest.ts';
import type { Statistics } from '../../src/statistics/opened/statistics.ts';
import { openOurs } from './ours.ts';

const batches = 40;
const linesPerBatch = 20_000;

/** NDJSON as an advertising system would send it: events of the last hour, of 5,000 entities. */
export function eventLines(user: string, batch: number, lines = linesPerBatch): string {
  const random = seededRandom(3 + batch);
  const now = Date.now();
  return Array.from({ length: lines }, (_, line) =>
    JSON.stringify({
      id: `e${batch}-${line}`,
      kind: 'keyword',
      entity: Math.floor(random() * 5000),
      user,
      split: random() < 0.5 ? 'context' : 'fulltext',
      at: new Date(now - Math.floor(random() * 3_600_000)).toISOString(),
      clicks: 1,
      cost: Math.floor(random() * 1000),
    }),
  ).join('\n');
}

export function sendLines(statistics: Statistics, token: string, text: string) {
  return ingest(statistics, {
    owner: 'bench',
    token,
    level: 'event',
    mayWrite: () => true,
    content: { text, format: 'ndjson' },
  });
}

/** NDJSON text to durable slots, two batches under way as the command does it: events per second. */
export async function ingestRate(file: string): Promise<{ events: number; perSecond: number }> {
  const { statistics, close } = await openOurs('sqlite:', file);
  const texts = Array.from({ length: batches }, (_, batch) => eventLines('3', batch));
  await sendLines(statistics, 'first', texts[0] ?? '');
  const began = performance.now();
  for (let at = 0; at < texts.length; at += 2)
    await Promise.all(
      texts.slice(at, at + 2).map((text, index) => sendLines(statistics, `${at + index}`, text)),
    );
  const events = batches * linesPerBatch;
  const perSecond = events / ((performance.now() - began) / 1000);
  await close();
  return { events, perSecond };
}
