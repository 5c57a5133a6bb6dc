import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { openStream, type StreamOperation } from '../../engine/operation/stream-operation.ts';
import type { CallerSignals } from '../http/caller-signals.ts';
import { routeOf } from './operation-routes.ts';
import { inputFromQuery, type JsonSchema, type Query } from './query-input.ts';

/** One route per stream. The input is in the query, as for every operation that reads. */
export function addStreamRoutes(
  app: FastifyInstance,
  parts: { engine: Engine; streams: readonly StreamOperation[]; signals: CallerSignals },
): void {
  const { engine, signals } = parts;
  for (const stream of parts.streams) {
    const schema = streamInput(stream);
    app.get(routeOf(stream), { config: { access: stream } }, async (request, reply) => {
      const input = inputFromQuery(schema, request.query as Query);
      const opened = await openStream(engine, stream, request.caller, input, signals.of(reply), request.ip);
      reply.type(opened.type).header('content-disposition', attachment(opened.fileName));
      if (opened.size !== undefined) reply.header('content-length', opened.size);
      return reply.send(Readable.from(opened.content, { objectMode: false }));
    });
  }
}

export function streamInput(stream: StreamOperation): JsonSchema {
  return z.toJSONSchema(stream.input, { io: 'input' }) as JsonSchema;
}

/** Browsers must save the file, never show it: a result may be HTML that another user wrote. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
