import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { type Job, PermanentFailure, type ProcessorRegistration } from '../processor/processor.ts';
import type { stageDefinition } from '../stage/stage.ts';
import type { Clock } from '../time/clock.ts';
import { checkUrl, type Resolve, systemResolve } from './address-guard.ts';
import { NoAnswer, post } from './post.ts';
import { signingSecrets } from './secret.ts';
import { signatureHeaders } from './signature.ts';
import { SilentReceivers } from './silent-receivers.ts';

/** The file of a request to the stage `webhook`. */
export const webhookFile = 'webhook.json';
const webhookRequest = z.strictObject({
  url: z.string(),
  event: z.string().regex(/^[\x21-\x7e]{1,100}$/),
  body: z.json(),
});
export type WebhookRequest = z.input<typeof webhookRequest>;

/** Every worker serves it all the time. The last of the eight attempts comes about two and a half hours after the first. */
export const webhookStage: z.input<typeof stageDefinition> = {
  name: 'webhook',
  processor: 'webhook',
  mode: 'shared',
  concurrency: 8,
  timeoutMs: 30_000,
  retry: { attempts: 8, firstDelayMs: 5000, factor: 4, maxDelayMs: 3_600_000 },
};

/** Alerts have separate slots, so that no user's webhooks can delay them. */
export const alertWebhookStage: z.input<typeof stageDefinition> = {
  ...webhookStage,
  name: 'alert-webhook',
  concurrency: 4,
};

const timeoutMs = 10_000;

/** Posts signed JSON to a user's URL, and takes care not to reach private addresses. */
export function webhookProcessor(parts: {
  database: Database;
  clock: Clock;
  allowPrivate: boolean;
  resolve?: Resolve;
}): ProcessorRegistration {
  const { clock, allowPrivate, resolve = systemResolve } = parts;
  const silent = new SilentReceivers({ clock, trialMs: timeoutMs });
  return {
    name: 'webhook',
    summary: 'Posts JSON to a URL, signed with the secret of its owner',
    inline: async () => async (job) => {
      const { url, event, body } = await readRequest(job);
      const target = checkUrl(url, allowPrivate);
      const text = JSON.stringify(body);
      const secrets = await signingSecrets(parts, job.owner ?? '');
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Pismak',
        'pismak-event': event,
        // The id is the same at every attempt, so that a receiver recognises duplicates.
        ...signatureHeaders({ id: job.uuid, body: text, atMs: clock.now(), secrets }),
      };
      if (secrets.length === 0) job.log('not signed: its owner has no webhook secret');
      const { signal } = job;
      // By owner too: one user's webhooks to a host that many use must not hold up those of the others.
      const receiver = JSON.stringify([job.owner ?? '', target.origin]);
      silent.check(receiver);
      const options = { timeoutMs, signal, clock, resolve, allowPrivate };
      const status = await post({ url: target, body: text, headers, ...options }).catch((error: unknown) => {
        if (error instanceof NoAnswer) silent.silent(receiver);
        throw error;
      });
      silent.answered(receiver);
      // The path of a URL is often a secret of its receiver, so only the origin is logged.
      const said = `${target.origin} answered ${status}`;
      if (status >= 200 && status < 300) return job.log(said);
      if (isWorthRetrying(status)) throw new Error(said);
      throw new PermanentFailure(
        status >= 300 && status < 400 ? `${said}; redirects are not followed` : said,
      );
    },
  };
}

async function readRequest(job: Job): Promise<z.output<typeof webhookRequest>> {
  if (!job.files.names().includes(webhookFile))
    throw new PermanentFailure(`the request has no file ${webhookFile}`);
  try {
    return webhookRequest.parse(JSON.parse(Buffer.from(await job.files.read(webhookFile)).toString()));
  } catch (error) {
    throw new PermanentFailure(`${webhookFile} must hold url, event and body`, { cause: error });
  }
}

function isWorthRetrying(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}
