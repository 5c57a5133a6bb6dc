import { runErasure } from '../engine/blobs/owners/blob-erasure.ts';
import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { collectQueue } from './documents/document.ts';
import { forgetUploads } from './documents/drop-uploads.ts';

/** What must run for documents to be finished. */
export async function runTranscription(engine: Engine): Promise<Running> {
  const { broker, clock, database, schedules } = engine;
  // The queue is ours whatever the pipelines are; results for us must never have nowhere to go.
  await broker.declare(collectQueue);
  await database.query
    .insertInto('outputQueue')
    .values({ name: collectQueue, owner: 'local', createdAt: clock.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  schedules.registerTask('uploads.forget', async ({ log }) => {
    log(`${await forgetUploads(engine)} uploads forgotten`);
  });
  const when = { kind: 'cron', cron: '47 * * * *', timezone: 'UTC' } as const;
  await schedules.ensure(
    'uploads.forget',
    { when, action: { kind: 'task', task: 'uploads.forget' } },
    'local',
  );
  const erasure = runErasure(engine);
  const collector = await runCollector(engine).catch(async (error: unknown) => {
    await erasure.close();
    throw error;
  });
  const lost = runLostRequests(engine);
  return {
    async close() {
      await Promise.all([collector.close(), lost.close(), erasure.close()]);
    },
  };
}
