import { seededRandom } from '../../engine/simulation/chance.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { PlainEvent } from './brute-force.ts';

const events = 30;
/** Two days back at most, so that none is sealed while a test runs. */
const backMs = 2 * 86_400_000;
const began = Date.now();

/** The batch of a number: always the same one, as long as `base` is. */
export function numberedBatch(batch: number, base: number): PlainEvent[] {
  const random = seededRandom(batch + 1);
  return Array.from({ length: events }, () => ({
    kind: 'keyword',
    entity: Math.floor(random() * 20),
    user: 1 + Math.floor(random() * 2),
    split: random() < 0.5 ? 'context' : 'fulltext',
    at: new Date(base - Math.floor(random() * backMs)).toISOString(),
    impressions: 0,
    clicks: 1 + Math.floor(random() * 9),
    cost: Math.floor(random() * 1e9),
  }));
}

/** All processes of a test must mean the same batches: the hour in which the test began. */
export const baseOfBatches = Number(process.env.NUMBERED_BATCHES_BASE ?? began - (began % 3_600_000));

export function sendNumbered(statistics: Statistics, batch: number) {
  return ingest(statistics, {
    owner: 'test',
    token: `batch ${batch}`,
    level: 'event',
    mayWrite: () => true,
    content: { events: numberedBatch(batch, baseOfBatches) },
  });
}
