import type { z } from 'zod';
import { hasCode } from '../../engine/ground/errors.ts';
import { requestSubmit } from '../../engine/operation/operations/request.ts';
import { inlineLimit } from '../../engine/request/result-files.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { Client } from '../client/client.ts';
import type { Target } from '../options/request-target.ts';

/** A request to submit, with one file. */
export interface PlannedRequest {
  /** Chosen by the client, so that a retry is harmless. */
  uuid: string;
  name: string;
  size: number;
  content(): AsyncIterable<Uint8Array>;
}

type SubmittedFile = z.input<typeof requestSubmit.input>['files'][number];

const atOnce = 4;
const fullMs = 1000;

/** Sends requests, a few at once. Waits while the queue is full. Stops at the first failure or when `signal` aborts. */
export async function submitRequests<Request extends PlannedRequest>(options: {
  client: Client;
  requests: AsyncIterable<Request> | Iterable<Request>;
  target: Target;
  clock: Clock;
  signal: AbortSignal;
  submitted(request: Request): void;
  /** Called when the queue is full and we wait. */
  waiting(reason: string): void;
}): Promise<void> {
  const { client, requests, target, clock, signal } = options;

  async function submit(request: Request): Promise<void> {
    const file = await toFile(client, request);
    for (;;) {
      signal.throwIfAborted();
      try {
        await client.call(requestSubmit, { ...target, uuid: request.uuid, files: [file] });
        return options.submitted(request);
      } catch (error) {
        if (!hasCode(error, 'queue-full')) throw error;
        options.waiting(error.message);
        await sleep(clock, fullMs, signal);
      }
    }
  }

  const queue = (async function* () {
    yield* requests;
  })();
  let failed = false;
  const sender = async () => {
    while (!failed) {
      const next = await queue.next();
      if (next.done) return;
      try {
        await submit(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // Wait for all of them, so that nothing is in flight when we report the progress.
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, sender));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function toFile(client: Client, { name, size, content }: PlannedRequest): Promise<SubmittedFile> {
  // Large files are uploaded separately; small ones travel inside the call.
  if (size > inlineLimit) return { name, blob: (await client.upload(content())).hash };
  const chunks: Uint8Array[] = [];
  for await (const chunk of content()) chunks.push(chunk);
  return { name, content: Buffer.concat(chunks).toString('base64') };
}
