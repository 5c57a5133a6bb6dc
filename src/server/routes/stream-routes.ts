import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { namesOf } from '../../engine/operation/operation.ts';
import { openStream, type StreamOperation } from '../../engine/operation/stream-operation.ts';
import type { CallerSignals } from '../http/caller-signals.ts';
import { routeOf } from './operation-routes.ts';
import { inputFromQuery, type JsonSchema, type Query } from './query-input.ts';

/** One route per stream. The input is in the query, as for every reading operation; additional addresses also take input from the path. */
export function addStreamRoutes(
  app: FastifyInstance,
  parts: { engine: Engine; streams: readonly StreamOperation[]; signals: CallerSignals },
): void {
  const { engine, signals } = parts;
  const { publicUrl } = engine.settings.http;
  for (const stream of parts.streams) {
    const schema = streamInput(stream);
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const given = { ...(request.query as Query), ...(request.params as Query) };
      const { stream: opened, version } = await openStream(
        ...([engine, stream, request.caller, inputFromQuery(schema, given), signals.of(reply)] as const),
        { address: request.ip, url: urlOf(request, publicUrl), has: (one) => hasEtag(request, etagOf(one)) },
      );
      // A browser may keep the bytes, but asks each time whether they are still right, and whether it still may see them.
      if (version !== undefined)
        reply.header('etag', etagOf(version)).header('cache-control', 'private, no-cache');
      if (!opened) return reply.code(304).send();
      reply.type(opened.type).header('content-disposition', attachment(opened.fileName));
      if (opened.size !== undefined) reply.header('content-length', opened.size);
      return reply.send(Readable.from(opened.content, { objectMode: false }));
    };
    for (const name of namesOf(stream)) app.get(routeOf({ name }), { config: { access: stream } }, answer);
    for (const path of stream.paths ?? []) {
      app.get(path, { config: { access: stream }, onRequest: allowOtherSites }, answer);
      allowAsking(app, path);
    }
  }
}

const etagOf = (version: string) => `"${version}"`;

/** Whether the caller's browser has these bytes: `If-None-Match` lists what it has, weak or strong. */
function hasEtag({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag);
}

/** The public URL from the settings, or the address that the caller used. */
function urlOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  return (publicUrl ?? `${protocol}://${host}`).replace(/\/$/, '');
}

/**
 * Viewers are pages on other sites. They may read an answer if they send a key: under `*`, browsers hide answers to requests with
 * cookies, and the session cookie does not leave this site anyway.
 */
const allowOtherSites: onRequestHookHandler = (_request, reply, done) => {
  reply.header('access-control-allow-origin', '*');
  done();
};

/** Answers the preflight that a browser sends before a request with a key. */
function allowAsking(app: FastifyInstance, path: string): void {
  const access = { name: `preflight ${path}`, role: 'public' as const };
  const bodyLimit = { bytes: 0, because: 'a preflight request has no body' };
  app.options(
    path,
    { config: { access, bodyLimit }, onRequest: allowOtherSites },
    async (_request, reply) => {
      reply
        .header('access-control-allow-methods', 'GET')
        .header('access-control-allow-headers', 'authorization')
        .header('access-control-max-age', 86_400);
      return reply.code(204).send();
    },
  );
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
