import { sweepBlobs } from '../blob-owners/blob-owners.ts';
import type { Ports } from '../ports/ports.ts';
import { forgetFailures } from '../request/failed-requests.ts';
import { forgetUploads } from '../upload/drop-uploads.ts';
import type { Schedules } from './schedules.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long history is kept. */
const keptMs = { audit: 365 * dayMs, scheduleRun: 90 * dayMs };

/** Keeps the stores from growing for ever, with schedules that an administrator may change or disable. */
export async function keepHouse(
  schedules: Schedules,
  parts: Pick<Ports, 'blobs' | 'clock' | 'database' | 'disk' | 'settings'>,
): Promise<void> {
  const { clock, database } = parts;

  schedules.registerTask('blobs.sweep', async ({ signal, log }) => {
    const { seen, orphans, deleted, deletedBytes } = await sweepBlobs({ ...parts, signal });
    log(`${seen} blobs, ${orphans} without an owner, ${deleted} deleted (${deletedBytes} bytes)`);
  });
  schedules.registerTask('history.trim', async ({ signal, log }) => {
    const now = clock.now();
    const audit = await database.query
      .deleteFrom('audit')
      .where('at', '<', now - keptMs.audit)
      .executeTakeFirst();
    signal.throwIfAborted();
    const runs = await database.query
      .deleteFrom('scheduleRun')
      .where('startedAt', '<', now - keptMs.scheduleRun)
      .executeTakeFirst();
    signal.throwIfAborted();
    const failures = await forgetFailures(database.query, now);
    log(
      `${audit.numDeletedRows} audit records, ${runs.numDeletedRows} runs and ${failures} failed requests deleted`,
    );
  });

  schedules.registerTask('uploads.forget', async ({ signal, log }) => {
    log(`${await forgetUploads(parts, signal)} unused uploads older than a day deleted`);
  });

  const nightly = { kind: 'cron', cron: '17 3 * * *', timezone: 'UTC' } as const;
  const task = (name: string) => ({ kind: 'task', task: name }) as const;
  await schedules.ensure('blobs.sweep', { when: nightly, action: task('blobs.sweep') }, 'local');
  const afterwards = { kind: 'after', schedule: 'blobs.sweep' } as const;
  await schedules.ensure('history.trim', { when: afterwards, action: task('history.trim') }, 'local');
  const hourly = { kind: 'cron', cron: '47 * * * *', timezone: 'UTC' } as const;
  await schedules.ensure('uploads.forget', { when: hourly, action: task('uploads.forget') }, 'local');
}
