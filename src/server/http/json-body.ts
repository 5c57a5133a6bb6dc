import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { type BodyLimit, boundedBody } from './body-limit.ts';
import { BodyMemory } from './body-memory.ts';
import { checkJsonShape } from './json-shape.ts';
import { parseLargeJson, pieceBytes } from './large-json.ts';

/** More values than any operation takes in 1 MB. Rejecting this many wrong ones takes about 20 ms. */
const valuesPerMb = 20_000;

/**
 * JSON is the only type of body that operations take: a form on another site could send text without a preflight. The
 * body is read only after the caller is known and admitted (`admitCallers`).
 */
export function parseJsonBodies(
  app: FastifyInstance,
  engine: Pick<Engine, 'busyWatch' | 'clock' | 'settings'>,
): void {
  const memory = new BodyMemory();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const { bodyLimit } = request.routeOptions.config;
    using share = memory.share(request.caller?.name ?? rateLimit.normalizeIP(request.ip));
    const chunks: Uint8Array[] = [];
    for await (const chunk of boundedBody(engine, request, bodyLimit)) {
      share.take(chunk.length);
      chunks.push(chunk);
    }
    const json = Buffer.concat(chunks);
    await checkJsonShape(json, mostValues(bodyLimit));
    const { access } = request.routeOptions.config;
    const parseText = (text: string) =>
      engine.busyWatch.sync(`the body of ${access?.name}`, () => parsed(request, text));
    return json.length > pieceBytes ? parseLargeJson(json, parseText) : parseText(json.toString());
  });

  function parsed(request: FastifyRequest, text: string): unknown {
    let result: unknown;
    let failure: Error | null = null;
    // It calls back at once.
    void parse(request, text, (error, value) => {
      failure = error;
      result = value;
    });
    if (failure) throw failure;
    return result;
  }
}

function mostValues(limit: BodyLimit | undefined): number {
  return valuesPerMb * Math.max(1, (limit?.bytes ?? 0) / 2 ** 20);
}
