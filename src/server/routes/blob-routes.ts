import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { mayTouch } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { putBlob } from '../../engine/upload/put-blob.ts';
import { boundedBody, uploadBodyLimit } from '../http/body-limit.ts';

/** Bytes too large for JSON have their own routes. Scopes treat them as operations with these names. */
export const uploadRoute = { name: 'blob.upload', role: 'user', path: '/api/v1/blobs' } as const;
export const downloadRoute = {
  name: 'results.download',
  role: 'user',
  path: '/api/v1/results/:receipt/blobs/:hash',
} as const;

export function addBlobRoutes(app: FastifyInstance, engine: Engine): void {
  // Use a context of its own, so that only the upload takes bodies of any type, unparsed.
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    const bodyLimit = uploadBodyLimit(engine.settings.http);
    raw.post(uploadRoute.path, { config: { access: uploadRoute, bodyLimit } }, async (request) => {
      const caller = authorise(uploadRoute, request.caller, request.ip);
      const announced = Number(request.headers['content-length'] ?? 0);
      const stored = await putBlob(engine, caller.name, boundedBody(engine, request, bodyLimit), announced);
      const entry = { caller, address: request.ip, operation: uploadRoute.name, outcome: 'ok' };
      await engine.audit.record({ ...entry, inputJson: JSON.stringify(stored) });
      return stored;
    });
  });

  app.get(downloadRoute.path, { config: { access: downloadRoute } }, async (request, reply) => {
    authorise(downloadRoute, request.caller, request.ip);
    const { hash, size } = await takenFile(engine, request);
    const content = Readable.from(engine.blobs.get(hash), { objectMode: false });
    return reply.type('application/octet-stream').header('content-length', size).send(content);
  });
}

/** The file, if the receipt's result refers to it and the caller owns the queue; otherwise not found. */
async function takenFile(engine: Engine, request: FastifyRequest): Promise<{ hash: string; size: number }> {
  const { receipt, hash } = request.params as { receipt: string; hash: string };
  const taken = engine.pickup.find(receipt);
  const owner = taken && (await engine.pipelines.outputOwner(taken.queue));
  const allowed =
    request.caller?.role === 'admin' ||
    (owner !== undefined && request.caller && mayTouch(request.caller, owner));
  const file = allowed ? taken?.request?.results.find((result) => result.blob === hash) : undefined;
  if (!file) {
    throw new PismakError(
      'not-found',
      'this receipt gives no access to such a file; if it has expired, take the result again',
    );
  }
  return { hash, size: Number(file.size) };
}
