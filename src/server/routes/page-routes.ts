import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import { setupIsOpen } from '../access/setup.ts';
import { openApi } from '../openapi/openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import { homePage } from '../pages/home-page.ts';
import type { Page } from '../pages/page.ts';
import { setupPage } from '../pages/setup-page.ts';
import type { ProcessHealth } from './health.ts';

interface PageParts {
  engine: Engine;
  operations: readonly Operation[];
  url: () => string;
  readHealth: () => Promise<ProcessHealth>;
}

/** The pages, and the description of the API. They tell nothing that health does not tell, so they need no sign-in. */
export function addPageRoutes(
  app: FastifyInstance,
  { engine, operations, url, readHealth }: PageParts,
): void {
  app.get('/', async (_request, reply) => {
    const health = await readHealth();
    // People want to see the page just when something does not answer.
    const setupOpen = health.parts?.database === 'ok' && (await setupIsOpen(engine).catch(() => false));
    return sendPage(reply, homePage({ health, setupOpen }));
  });
  app.get('/api/v1/openapi.json', async (_request, reply) => reply.send(openApi(operations, url())));
  app.get('/docs', async (_request, reply) => sendPage(reply, docsPage(operations, url())));
  app.get('/setup', async (_request, reply) => sendPage(reply, setupPage(await setupIsOpen(engine))));
}

function sendPage(reply: FastifyReply, { html, policy }: Page): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
}
