import { downloadRoute, uploadRoute } from './blob-routes.ts';
import { changesRoute } from './live-changes.ts';
import { metricsRoute } from './metrics-route.ts';

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

function inPath(name: string) {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

/** What is not an operation, because its answer or its body is a stream. */
export const streamPaths = {
  '/api/v1/health': {
    get: {
      operationId: 'health.show',
      summary: 'Tells whether everything works: 200, or 503',
      security: [],
      responses: {
        200: { description: 'Healthy' },
        503: { description: 'Starting, stopping, or a part is down' },
      },
    },
  },
  [changesRoute.path]: {
    get: {
      ...described(changesRoute, 'Server-sent events: what changes, as it changes'),
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
          description: 'The same, where headers can’t be set',
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
      ...described(uploadRoute, 'Stores bytes, to be named by hash in request.submit'),
      requestBody: { required: true, content: bytes },
      responses: {
        200: { description: 'Hash and size', content: { 'application/json': { schema: blob } } },
        ...failed,
      },
    },
  },
  [downloadRoute.path.replaceAll(/:(\w+)/g, '{$1}')]: {
    get: {
      ...described(downloadRoute, 'A file of a result that you have taken and not yet confirmed'),
      parameters: [inPath('receipt'), inPath('hash')],
      responses: { 200: { description: 'The bytes', content: bytes }, ...failed },
    },
  },
  [metricsRoute.path]: {
    get: {
      ...described(
        metricsRoute,
        'Figures for Prometheus; open to all only where nobody but this machine can ask',
      ),
      responses: { 200: { description: 'Prometheus text', content: text('text/plain') }, ...failed },
    },
  },
};
