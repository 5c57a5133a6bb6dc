import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { collectQueue } from './documents/document.ts';
import { forgetUploads } from './documents/drop-uploads.ts';

/** What must run for documents to be finished. */
export async function runTranscription(engine: Engine): Promise<Running> {
  const { pipelines, schedules } = engine;
  // Whatever the pipelines are: results for us must never have nowhere to go.
  await pipelines.claimOutput(collectQueue);
  schedules.registerTask('uploads.forget', async ({ log }) => {
    log(`${await forgetUploads(engine)} uploads forgotten`);
  });
  const when = { kind: 'cron', cron: '47 * * * *', timezone: 'UTC' } as const;
  await schedules.ensure(
    'uploads.forget',
    { when, action: { kind: 'task', task: 'uploads.forget' } },
    'local',
  );
  const collector = await runCollector(engine);
  const lost = runLostRequests(engine);
  return {
    async close() {
      await Promise.all([collector.close(), lost.close()]);
    },
  };
}
