import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { openEmbedded } from '../testing/embedded.ts';
import { ManualClock } from '../time/clock.ts';
import { Journal } from './journal.ts';
import { mostFailures, mostLines, readJournal } from './journal-rows.ts';

test('the latest lines and failures of a worker can be read where it no longer runs, and its next life adds to them', async (t) => {
  const parts = { ...(await openEmbedded(t)), clock: new ManualClock(1000) };
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const first = new Journal({ ...parts, log }, 'w1');
  first.log.info({ stage: 'ocr', url: 'postgres://pismak:hidden@db/x' }, 'serving stage');
  first.failed({ stage: 'ocr', uuid: 'u1', owner: 'anna', attempt: 1, reason: 'no text' });
  await first.close();
  parts.clock.advance(1000);
  const second = new Journal({ ...parts, log }, 'w1');
  second.log.warn('coordination session lost');
  await second.close();

  const { lines: kept, failures } = await readJournal(parts.database.query, 'w1');
  assert.deepEqual(kept, [
    { at: 1000, level: 'info', text: 'serving stage  stage=ocr url=postgres://pismak:***@db/x' },
    { at: 2000, level: 'warn', text: 'coordination session lost' },
  ]);
  assert.deepEqual(failures, [
    { at: 1000, stage: 'ocr', uuid: 'u1', owner: 'anna', attempt: 1, reason: 'no text' },
  ]);
  assert.equal(JSON.parse(lines[0] ?? '').worker, 'w1');
  assert.deepEqual(await readJournal(parts.database.query, 'other'), { lines: [], failures: [] });
});

test('a worker whose every request fails stores little, and its log goes on without the database', async (t) => {
  const parts = { ...(await openEmbedded(t)), clock: new ManualClock() };
  const journal = new Journal(parts, 'w1');
  for (let count = 0; count < 500; count++) {
    journal.log.error(`line ${count} ${'x'.repeat(5000)}`);
    journal.failed({ stage: 'ocr', uuid: `u${count}`, owner: '', attempt: 1, reason: 'y'.repeat(5000) });
  }
  await journal.close();
  const { lines, failures } = await readJournal(parts.database.query, 'w1');
  assert.deepEqual([lines.length, failures.length], [mostLines, mostFailures]);
  assert.ok(JSON.stringify({ lines, failures }).length < 100_000);
  assert.deepEqual([lines.at(-1)?.text.slice(0, 8), failures.at(-1)?.uuid], ['line 499', 'u499']);

  const transaction = async (): Promise<never> => assert.fail('the database is down');
  const cut = new Journal({ ...parts, database: { ...parts.database, transaction } }, 'w2');
  cut.log.info('going on');
  await cut.close();
});
