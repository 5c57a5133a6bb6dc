import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { ManualClock } from '../time/clock.ts';
import { keepHouse } from './housekeeping.ts';
import { createSchedules } from './schedules.ts';

test('audit records older than a year are deleted, and the housekeeping schedules are listed', async (t) => {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const schedules = createSchedules(embedded);
  await keepHouse(schedules, embedded);
  await keepHouse(schedules, embedded);
  assert.deepEqual(
    (await schedules.list()).map((schedule) => schedule.name),
    ['blobs.sweep', 'history.trim', 'uploads.forget'],
  );

  const row = { actor: 'anna', operation: 'stage.create', inputJson: '{}', outcome: 'ok', address: '' };
  const ages = { old: 366, young: 364 };
  for (const [id, days] of Object.entries(ages)) {
    await embedded.database.query
      .insertInto('audit')
      .values({ ...row, id, at: clock.now() - days * 86_400_000 })
      .execute();
  }
  const said: string[] = [];
  const signal = new AbortController().signal;
  await schedules.task('history.trim')?.({ parameters: {}, signal, log: (line) => said.push(line) });
  const left = await embedded.database.query.selectFrom('audit').select('id').execute();
  assert.deepEqual(left, [{ id: 'young' }]);
  assert.match(said.join(), /1 audit records/);
});
