import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/ground/errors.ts';
import { bestEncoding } from '../http/compress-answers.ts';
import { page } from '../pages/page.ts';
import type { ConsoleBuild, ConsoleFile } from './console-files.ts';

/** OpenSeadragon inserts exactly this style. */
const viewerStyle = "'sha256-9xTiqzfwFaL2SGb1rmr8gysEwVVjIvqWAgmZgqFqpEE='";

export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${viewerStyle}`,
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The console below /console/: its files by their exact names, its page for every other address. */
export function addConsoleRoutes(app: FastifyInstance, files: () => ConsoleBuild | undefined): void {
  app.get('/console', async (_request, reply) => reply.redirect('/console/'));

  // What a tab asks before it knows anything: which build this is, and whether somebody is signed in.
  app.get('/console/build.json', async ({ caller }, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .send({ build: files()?.build ?? null, signedIn: caller !== undefined }),
  );

  app.get<{ Params: { '*': string } }>('/console/*', { exposeHeadRoute: true }, async (request, reply) => {
    const build = files();
    const path = request.params['*'];
    const file = build?.files.get(path);
    if (path.startsWith('assets/')) {
      if (!file) throw new PismakError('not-found', 'this file belongs to another version of the console');
      // Its name has its hash.
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return send(request, reply, file);
    }
    reply.header('cache-control', 'no-cache');
    const index = build?.files.get('index.html');
    if (!build || !index) return sendWaiting(reply);
    reply.header('content-security-policy', consolePolicy);
    return send(request, reply, index);
  });
}

async function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<FastifyReply> {
  reply.header('etag', file.etag).header('vary', 'accept-encoding').type(file.type);
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  const wanted = bestEncoding(request.headers['accept-encoding']);
  const encoding = file.encodings.find((one) => one === wanted);
  if (encoding) reply.header('content-encoding', encoding);
  return reply.send(await file.read(encoding));
}

/** While a checkout builds the console, which takes some seconds after the first start. */
function sendWaiting(reply: FastifyReply): FastifyReply {
  const { html, policy } = page({
    title: 'Pismak',
    body: `<main><h1>The console is being built</h1><p role="status">This takes a few seconds after the first start, and the page comes by itself.
If it doesn't, <code>npm start</code> shows why; <code>npm run console</code> builds it too.</p><p><a href="/?health">Health</a> · <a href="/docs">API</a></p></main>`,
    script: 'setTimeout(() => location.reload(), 1500);',
  });
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
}
