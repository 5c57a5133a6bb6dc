import { z } from 'zod';
import type { FromHost } from './host-protocol.ts';

const number = z.number().finite();
const id = z.number().int().nonnegative();
const rssBytes = number;
const stage = z.object({ name: z.string(), version: number });
const blob = z.object({ hash: z.string(), size: number });
const content = z.instanceof(Uint8Array);
const file = z.union([
  z.object({ unchanged: z.string() }),
  z.object({ name: z.string(), blob }),
  z.object({ name: z.string(), content }),
]);

const fromHost = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), rssBytes }),
  z.object({ type: z.literal('begun') }),
  z.object({ type: z.literal('loaded'), rssBytes }),
  z.object({ type: z.literal('not-loaded'), reason: z.string() }),
  z.object({ type: z.literal('log'), line: z.string() }),
  z.object({ type: z.literal('fetch'), id, job: number, hash: z.string() }),
  z.object({ type: z.literal('fetch-stage-file'), id, stage, hash: z.string(), isDamaged: z.boolean() }),
  z.object({ type: z.literal('store'), id, job: number }),
  z.object({ type: z.literal('done'), files: z.array(file), rssBytes }),
  z.object({
    type: z.literal('failed'),
    reason: z.string(),
    permanent: z.boolean(),
    wrongWorker: z.boolean(),
    rssBytes,
  }),
]);

/** A message from a process that a hostile file may have taken over; undefined if it is none. */
export function readFromHost(message: unknown): FromHost | undefined {
  return fromHost.safeParse(message).data;
}
