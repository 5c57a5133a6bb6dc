import type { z } from 'zod';
import { hasCode } from '../../engine/ground/errors.ts';
import type { ProcessorParts } from '../../engine/house.ts';
import { type Job, PermanentFailure, type ProcessorRegistration } from '../../engine/processor/processor.ts';
import type { stageDefinition } from '../../engine/stage/stage.ts';
import { choice, parseStageConfig, words } from '../../engine/stage/stage-config.ts';
import { installationOwner } from '../../engine/webhook/secret.ts';
import { writableUsers } from '../access/access.ts';
import { type Statistics, statisticsForStage } from '../opened/statistics.ts';
import { limitsOf } from '../store/limits.ts';
import { type Ingested, ingest } from './ingest.ts';

/** A queue that takes events instead of the API. Every worker serves it. */
export const ingestStage: z.input<typeof stageDefinition> & { name: string } = {
  name: 'statistics.ingest',
  processor: 'statistics.ingest',
  mode: 'shared',
  concurrency: 2,
  timeoutMs: 300_000,
  retry: { attempts: 8, firstDelayMs: 5000, factor: 4, maxDelayMs: 3_600_000 },
};

const stageSettings = {
  SCHEMA: words('', 'accepts only kinds of this schema'),
  LEVEL: choice('event', ['day'], 'whether lines are events, or sums of whole days'),
};
const mostBytes = 16 * 2 ** 20;
/** Returned with the request. */
const answerFile = 'ingested.json';
/** Errors that a retry can't fix. */
const lasting = ['invalid-input', 'too-large', 'conflict', 'quota-exceeded'] as const;

/**
 * Counts the events in the files of a request. The request's uuid is the token, so a message that is delivered again counts once.
 * The owner of the request may write its own statistics and those that it was allowed to; a request without an owner comes from a
 * program with the broker's password, such as our workers.
 */
export function ingestProcessor(parts: ProcessorParts): ProcessorRegistration {
  return {
    name: 'statistics.ingest',
    summary: 'Counts the events in the files of a request: NDJSON (*.ndjson) or CSV (*.csv)',
    check: (config) => void parseStageConfig(config, stageSettings),
    settings: stageSettings,
    inline: async ({ config }) => {
      const settings = parseStageConfig(config, stageSettings);
      const statistics = await statisticsForStage(parts);
      return async (job) => {
        const names = job.files.names().filter((name) => /\.(ndjson|csv)$/i.test(name));
        if (names.length === 0)
          throw new PermanentFailure('the request has no file of events: *.ndjson or *.csv');
        const answers: Record<string, Ingested> = {};
        for (const name of names) answers[name] = await ingestFile(statistics, job, name, settings);
        await job.files.write(answerFile, Buffer.from(JSON.stringify(answers)));
      };
    },
  };
}

async function ingestFile(
  statistics: Statistics,
  job: Job,
  name: string,
  { SCHEMA, LEVEL }: { SCHEMA: string; LEVEL: 'event' | 'day' },
): Promise<Ingested> {
  if (job.files.size(name) > mostBytes)
    throw new PermanentFailure(`${name} has more than ${mostBytes / 2 ** 20} MB; send several requests`);
  const text = Buffer.from(await job.files.read(name)).toString();
  const owner = job.owner || installationOwner;
  const caller = { name: owner, role: owner === installationOwner ? 'admin' : 'user', address: '' } as const;
  const mayWrite = await writableUsers(statistics, caller);
  try {
    const done = await ingest(statistics, {
      owner,
      token: `${job.uuid}/${name}`,
      level: LEVEL,
      mayWrite,
      ...(SCHEMA !== '' && { schema: SCHEMA }),
      limits: limitsOf(statistics.limits, caller),
      content: { text, format: /csv$/i.test(name) ? 'csv' : 'ndjson' },
    });
    job.log(`${name}: ${done.accepted} of ${done.events} events counted${done.duplicate ? ' before' : ''}`);
    for (const { index, reason } of done.refusals.slice(0, 10)) job.log(`event ${index + 1}: ${reason}`);
    return done;
  } catch (error) {
    const failed = lasting.find((code) => hasCode(error, code));
    if (failed && error instanceof Error)
      throw new PermanentFailure(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}
