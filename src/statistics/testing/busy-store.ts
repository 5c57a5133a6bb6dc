/**
 * Ingests batches, rolls up and sweeps without end, and prints what it begins: for tests that kill it anywhere. Arguments: the URL
 * and the file of the database, the first batch, and `statistics.store`.
 */
import { openDatabase } from '../../engine/database/open.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { sweep } from '../rollup/sweep.ts';
import { levels } from '../store/store.ts';
import { sendNumbered } from './numbered-batches.ts';
import { openTestStatistics } from './open-test-statistics.ts';

const [url = '', file = '', first = '0', store = ''] = process.argv.slice(2);
const database = await openDatabase(url, { file, clock: systemClock });
const statistics = await openTestStatistics({
  database,
  clock: systemClock,
  settings: { lateDays: 3, store },
});
for (let batch = Number(first); ; batch++) {
  console.log(`batch ${batch}`);
  await sendNumbered(statistics, batch);
  for (const level of levels) {
    console.log(level);
    await rollUp(statistics, { levels: [level] });
  }
  console.log('sweep');
  await sweep(statistics, { seal: batch % 3 === 0 });
}
