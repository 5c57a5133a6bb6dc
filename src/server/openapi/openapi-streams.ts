import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { metricsRoute } from '../metrics/metrics-route.ts';
import { downloadRoute, uploadRoute } from '../routes/blob-routes.ts';
import { changesRoute } from '../routes/live-changes.ts';
import { routeOf } from '../routes/operation-routes.ts';
import { streamInput } from '../routes/stream-routes.ts';
import { partRoute } from '../routes/upload-routes.ts';

const failed = { default: { $ref: '#/components/responses/Error' } };
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const text = (type: string) => ({ [type]: { schema: { type: 'string' } } });

const blob = {
  type: 'object',
  required: ['hash', 'size'],
  properties: { hash: { type: 'string' }, size: { type: 'integer' } },
};

function described(route: { name: string; role: string }, summary: string) {
  const description = `Needs the role: ${route.role}.`;
  return { operationId: route.name, summary, description, 'x-role': route.role };
}

function streamed(stream: StreamOperation) {
  const { properties = {}, required = [] } = streamInput(stream);
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  return {
    ...described(stream, stream.summary),
    parameters,
    responses: { 200: { description: 'The bytes', content: bytes }, ...failed },
  };
}

function inPath(name: string) {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

/** Paths whose answer or body is a stream: the server's own, and the operations that answer with bytes. */
export function streamPaths(
  streams: readonly StreamOperation[],
): Record<string, Record<string, { summary: string }>> {
  const ofOperations = streams.map((stream) => [routeOf(stream), { get: streamed(stream) }]);
  return { ...ownPaths, ...Object.fromEntries(ofOperations) };
}

/** The server's own paths. */
export const ownPaths = {
  '/api/v1/health': {
    get: {
      operationId: 'health.show',
      summary: 'Check the health: 200 if everything works, otherwise 503',
      security: [],
      responses: {
        200: { description: 'Healthy' },
        503: {
          description: 'Starting, stopping, a part is down, or nothing can be stored in it (`degraded`)',
        },
      },
    },
  },
  [changesRoute.path]: {
    get: {
      ...described(changesRoute, 'Follow changes as they happen, as server-sent events'),
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          schema: { type: 'integer' },
          description: 'The last change you saw',
        },
        {
          name: 'since',
          in: 'query',
          schema: { type: 'integer' },
          description: 'The same, for clients that can’t set headers',
        },
      ],
      responses: {
        200: { description: 'ready, change and reset events', content: text('text/event-stream') },
        ...failed,
      },
    },
  },
  [uploadRoute.path]: {
    post: {
      ...described(uploadRoute, 'Upload bytes; request.submit then names them by hash'),
      requestBody: { required: true, content: bytes },
      responses: {
        200: { description: 'Hash and size', content: { 'application/json': { schema: blob } } },
        ...failed,
      },
    },
  },
  [downloadRoute.path.replaceAll(/:(\w+)/g, '{$1}')]: {
    get: {
      ...described(downloadRoute, 'Download a file of a result that you have taken and not yet confirmed'),
      parameters: [inPath('receipt'), inPath('hash')],
      responses: { 200: { description: 'The bytes', content: bytes }, ...failed },
    },
  },
  [partRoute.path.replaceAll(/:(\w+)/g, '{$1}')]: {
    put: {
      ...described(
        partRoute,
        'Send the next part of an upload; a `conflict` says at which offset to continue',
      ),
      parameters: [inPath('upload'), inPath('offset')],
      requestBody: { required: true, content: bytes },
      responses: { 200: { description: 'The offset of the next part' }, ...failed },
    },
  },
  [metricsRoute.path]: {
    get: {
      ...described(
        metricsRoute,
        'Read the metrics for Prometheus; the setting http.openMetrics opens them to everybody',
      ),
      responses: { 200: { description: 'Prometheus text', content: text('text/plain') }, ...failed },
    },
  },
};
