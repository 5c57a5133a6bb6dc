import type { FastifyRequest } from 'fastify';
import { bounded } from '../../engine/blobs/bounded.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { bodyChunks } from './body-chunks.ts';

/** The largest body that a route takes, and the reason, for the message. */
export interface BodyLimit {
  bytes: number;
  because: string;
}

const publicBytes = 16 * 1024;
const usualBytes = 2 ** 20;

/** The limit of an operation's JSON: small for strangers, and large only if the operation declares it. */
export function operationBodyLimit(
  { name, role, bodyLimit }: Pick<Operation, 'name' | 'role' | 'bodyLimit'>,
  http: Settings['http'],
): BodyLimit {
  const bytes = bodyLimit ?? (role === 'public' ? publicBytes : usualBytes);
  const most = uploadBodyLimit(http);
  return bytes <= most.bytes ? { bytes, because: `the limit of ${name}` } : most;
}

/** The limit of bytes that are stored unparsed. */
export function uploadBodyLimit({ bodyLimitMb }: Settings['http']): BodyLimit {
  return { bytes: Math.floor(bodyLimitMb * 2 ** 20), because: 'setting http.bodyLimitMb' };
}

/** Refuses a body whose announced size is too large, before a byte of it is read. */
export function checkAnnouncedSize({ headers }: FastifyRequest, limit: BodyLimit): void {
  if (Number(headers['content-length'] ?? 0) > limit.bytes) throw bodyTooLarge(limit);
}

/** The bytes of a request as they arrive, up to the limit. */
export function boundedBody(
  { clock }: Pick<Engine, 'clock'>,
  { raw }: Pick<FastifyRequest, 'raw'>,
  limit: BodyLimit = { bytes: 0, because: 'this route takes no body' },
): AsyncGenerator<Uint8Array> {
  return bounded(bodyChunks(raw, clock), limit.bytes, () => bodyTooLarge(limit));
}

function bodyTooLarge({ bytes, because }: BodyLimit): PismakError {
  const size = bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MB` : `${bytes / 1024} KB`;
  return new PismakError('too-large', `the body is larger than ${size} (${because})`);
}
