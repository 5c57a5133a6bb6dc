import { text } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import type { PublicAnswer, PublicPage } from '../../engine/house.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { setupIsOpen } from '../access/setup.ts';
import { boundedBody } from '../http/body-limit.ts';
import { openApi } from '../openapi/openapi.ts';
import type { ProcessHealth } from '../routes/health.ts';
import { docsPage } from './docs-page.ts';
import { homePage } from './home-page.ts';
import type { Page } from './page.ts';
import { setupPage } from './setup-page.ts';

interface Published {
  engine: Engine;
  /** Whether the console is on and built. */
  hasConsole: () => boolean;
  operations: readonly Operation[];
  streams: readonly StreamOperation[];
  /** Those of the houses. */
  pages: readonly PublicPage[];
  url: () => string;
  readHealth: () => Promise<ProcessHealth>;
}

/** The pages and the description of the API. They reveal no more than health does, so they need no sign-in. */
export function addPageRoutes(
  app: FastifyInstance,
  { engine, hasConsole, operations, streams, pages, url, readHealth }: Published,
): void {
  app.get<{ Querystring: { health?: string } }>('/', async ({ headers, query }, reply) => {
    const health = await readHealth();
    // A browser goes on to the console if that can work. Programs, and those who ask for it, get the page of health.
    const wantsPage = headers.accept?.includes('text/html') && query.health === undefined;
    if (wantsPage && health.status === 'ok' && hasConsole()) return reply.redirect('/console/');
    // People need this page most when a part is down.
    const setupOpen = health.parts?.database === 'ok' && (await setupIsOpen(engine).catch(() => false));
    return sendPage(reply, homePage({ health, setupOpen }));
  });
  const description = once(async () => JSON.stringify(await openApi(operations, streams, url())));
  const documentation = once(() => docsPage(operations, streams, url()));
  app.get('/api/v1/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await description()),
  );
  app.get('/docs', async (_request, reply) => sendPage(reply, await documentation()));
  // What follows the # travels along, because browsers keep it.
  app.get('/setup', async ({ headers }, reply) => {
    if (headers.accept?.includes('text/html') && hasConsole()) return reply.redirect('/console/setup');
    return sendPage(reply, setupPage(await setupIsOpen(engine)));
  });
  for (const page of pages) addPublicPage(app, engine, page);
}

/** Computes a page once: it never changes while the server runs and takes 100 ms, which strangers must not repeat. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function addPublicPage(app: FastifyInstance, engine: Engine, page: PublicPage): void {
  // Link checkers send HEAD.
  app.get(page.path, { exposeHeadRoute: true }, async (request, reply) => {
    const parameters = request.params as Record<string, string>;
    const answer = await page.show(engine, { parameters, query: request.query as Record<string, unknown> });
    return sendPublic(reply, answer);
  });
  const { submit } = page;
  if (!submit) return;
  // Use a context of its own, so that only these routes take bodies of any type.
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    const config = { access: { name: `page ${page.path}`, role: 'public' as const }, bodyLimit: submitLimit };
    raw.post(page.path, { config }, async (request, reply) => {
      const body = await text(boundedBody(engine, request, submitLimit));
      const answer = await submit(engine, { parameters: request.params as Record<string, string>, body });
      return sendPublic(reply, answer);
    });
  });
}

/** A public page may show text that users wrote, so it can neither run scripts nor load anything but images. */
function sendPublic(reply: FastifyReply, answer: PublicAnswer | undefined): FastifyReply {
  const { type, content, hasImages = false } = answer ?? noPage;
  if (!answer) reply.code(404);
  return reply.type(type).header('content-security-policy', publicPolicy(hasImages)).send(content);
}

/** Shown, for instance, to people who follow a link in an old mail. */
const noPage: PublicAnswer = {
  type: 'text/html; charset=utf-8',
  content:
    '<!doctype html><meta charset="utf-8"><title>Not found</title><p>This page does not exist, or no longer.</p>',
};

const submitLimit = { bytes: 16 * 1024, because: 'the limit of public pages' };

const publicPolicy = (hasImages: boolean) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:${hasImages ? ' http: https:' : ''}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

function sendPage(reply: FastifyReply, { html, policy }: Page): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
}
