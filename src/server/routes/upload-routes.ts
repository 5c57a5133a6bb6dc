import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { mayTouch } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { addPart, uploadOwner } from '../../engine/upload/uploads.ts';
import { boundedBody, uploadBodyLimit } from '../http/body-limit.ts';

/** Scopes treat it as an operation with this name. */
export const partRoute = {
  name: 'upload.part',
  role: 'user',
  path: '/api/v1/uploads/:upload/:offset',
} as const;
const parameters = z.object({ upload: z.string(), offset: z.coerce.number().int().min(0) });

/** `PUT /api/v1/uploads/ID/OFFSET`: the next part of an upload. A `conflict` says at which offset to continue. */
export function addUploadRoutes(app: FastifyInstance, engine: Engine): void {
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    const bodyLimit = uploadBodyLimit(engine.settings.http);
    raw.put(partRoute.path, { config: { access: partRoute, bodyLimit } }, async (request) => {
      const caller = authorise(partRoute, request.caller, request.ip);
      const { upload, offset } = parameters.parse(request.params);
      const owner = await uploadOwner(engine, upload);
      if (owner === undefined || !mayTouch(caller, owner))
        throw new PismakError('not-found', 'there is no such upload; `pismak upload ls` lists yours');
      const announced = Number(request.headers['content-length'] ?? 0);
      const body = boundedBody(engine, request, bodyLimit);
      return { offset: await addPart(engine, upload, offset, body, announced) };
    });
  });
}
