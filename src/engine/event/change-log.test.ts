import { systemClock } from '../time/clock.ts';
import { createChangeLog } from './change-log.ts';
import { changeLogContract } from './testing/contract.ts';

changeLogContract('in memory', async (context) => {
  const log = createChangeLog(systemClock);
  context.after(() => log.close());
  return async () => log;
});
