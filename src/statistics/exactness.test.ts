import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bothDatabases } from '../engine/testing/both-databases.ts';
import { ManualClock } from '../engine/time/clock.ts';
import { checkHistory, historySteps } from './testing/random-history.ts';

/** Histories per database here; `npm run prove -- statistics` runs a thousand. */
const runs = { SQLite: 40, PostgreSQL: 4 };

describe('whatever happens, every query equals the plain sum over all events', async () => {
  for (const { name, open } of await bothDatabases()) {
    test(`on ${name}: late events, repeated batches, re-runs, sealed days, closed months, backfills`, async (t) => {
      const clock = new ManualClock(Date.UTC(2020, 11, 20));
      const parts = await open(t, clock);
      const histories = fc.asyncProperty(historySteps, fc.integer(), (steps, seed) =>
        checkHistory(parts, steps, seed),
      );
      await fc.assert(histories, { numRuns: runs[name as keyof typeof runs] });
    });
  }
});
