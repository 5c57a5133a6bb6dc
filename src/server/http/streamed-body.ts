import type { FastifyRequest } from 'fastify';
import { bounded } from '../../engine/blobs/bounded.ts';
import type { Engine } from '../../engine/engine.ts';
import { bodyTooLarge } from './error-replies.ts';

/**
 * The bytes of a request as they arrive, up to the limit. When the body is refused half-way, the rest is read and
 * dropped: otherwise the connection would hang, or close before the client has read the reason.
 */
export async function* streamedBody(
  engine: Pick<Engine, 'settings'>,
  { raw }: Pick<FastifyRequest, 'raw'>,
): AsyncGenerator<Uint8Array> {
  const limit = engine.settings.http.bodyLimitMb * 2 ** 20;
  try {
    yield* bounded(raw.iterator({ destroyOnReturn: false }), limit, () => bodyTooLarge(engine));
  } finally {
    raw.resume();
  }
}
