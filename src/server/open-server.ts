import cookie from '@fastify/cookie';
import { isSystemError } from '../engine/files/system-error.ts';
import { PismakError } from '../engine/ground/errors.ts';
import type { OpenedEngine } from '../engine/open-engine.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { createKeyUsage } from './access/key-usage.ts';
import { newToken } from './access/secret-token.ts';
import { createSessionCookie } from './access/session-cookie.ts';
import { newSetupToken } from './access/setup.ts';
import { consoleFiles } from './console/console-files.ts';
import { addConsoleRoutes } from './console/console-routes.ts';
import { acceptHosts } from './http/accepted-hosts.ts';
import { admitCallers } from './http/admit-callers.ts';
import { CallerSignals } from './http/caller-signals.ts';
import { compressAnswers } from './http/compress-answers.ts';
import { limitConnections } from './http/connection-limits.ts';
import { answerErrors } from './http/error-replies.ts';
import { inviteBodiesLate } from './http/expect-continue.ts';
import { findExposures } from './http/exposure.ts';
import { gracefulClose } from './http/graceful-close.ts';
import { parseJsonBodies } from './http/json-body.ts';
import { newApp } from './http/new-app.ts';
import { limitRates } from './http/rate-limits.ts';
import { logRequests } from './http/request-log.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { cutStalledReaders } from './http/stalled-readers.ts';
import { trustedProxies, warnOfUnknownProxies } from './http/trusted-proxies.ts';
import { closeUnreadBodies } from './http/unread-bodies.ts';
import { addMetricsRoute } from './metrics/metrics-route.ts';
import { measureProcess } from './metrics/process-metrics.ts';
import { type AnyOperation, callsOf, streamsOf } from './operations.ts';
import { addPageRoutes } from './pages/page-routes.ts';
import { addBlobRoutes } from './routes/blob-routes.ts';
import { addHealthRoute, healthReader, type LifeState } from './routes/health.ts';
import { addLiveChanges } from './routes/live-changes.ts';
import { addOperationRoutes } from './routes/operation-routes.ts';
import { addStreamRoutes } from './routes/stream-routes.ts';
import { addUploadRoutes } from './routes/upload-routes.ts';

export interface Server {
  /** The address for users. */
  readonly url: string;
  /** The address for programs on this machine. The local token is accepted only from them. */
  readonly localUrl: string;
  /** A program on this machine that sends this token is the administrator `local`. New for each process. */
  readonly localToken: string;
  /** The number of clients that follow the changes. */
  liveConnections(): number;
  /** A new one-time link for the first administrator, which replaces the last one; undefined once an account exists. */
  setupLink(): Promise<string | undefined>;
  /** Ends live streams and long waits, lets running requests finish, and stops listening. */
  close(): Promise<void>;
}

export interface ServerOptions {
  /** The state that health checks see; `up` by default. */
  state?: () => LifeState;
  /** Where the built console is; by default where the build puts it. */
  consoleDirectory?: string;
}

/** Serves the operations over HTTP, with everything around them. */
export async function openServer(
  engine: OpenedEngine,
  all: readonly AnyOperation[],
  options: ServerOptions = {},
): Promise<Server> {
  const { http } = engine.settings;
  const [operations, streams] = [callsOf(all), streamsOf(all)];
  const isProxy = trustedProxies(http);
  const app = newApp(engine, isProxy);
  const signals = new CallerSignals();
  const localToken = newToken();
  const sessionCookie = createSessionCookie(http);
  const keyUsage = createKeyUsage(engine);
  const authenticate = createAuthenticate({ engine, localToken, cookieName: sessionCookie.name });
  const state = () => (signals.closing ? 'stopping' : (options.state?.() ?? 'up'));
  let url = '';

  const process = measureProcess(app, engine.busyWatch);
  engine.busyWatch.start();
  const closeApp = gracefulClose(app, engine.clock);
  const readers = cutStalledReaders(app, engine.clock);
  inviteBodiesLate(app);
  closeUnreadBodies(app, engine.clock);
  limitConnections(app, http, isProxy);
  warnOfUnknownProxies(app, engine, isProxy);
  logRequests(app, engine);
  addSecurityHeaders(app, http);
  compressAnswers(app);
  acceptHosts(app, engine, isProxy);
  await app.register(cookie);
  app.addHook('onRequest', async (request) => {
    request.caller = await authenticate(request);
    keyUsage.count(request.caller);
  });
  await limitRates(app, http);
  admitCallers(app, engine);
  parseJsonBodies(app, engine);
  answerErrors(app, engine);

  const readHealth = healthReader(engine, state);
  addHealthRoute(app, readHealth);
  addOperationRoutes(app, { engine, operations, cookie: sessionCookie, signals });
  addStreamRoutes(app, { engine, streams, signals });
  addBlobRoutes(app, engine);
  addUploadRoutes(app, engine);
  addMetricsRoute(app, engine, process);
  const ofHouses = engine.houses.flatMap((house) => house.consoleDirectory ?? []);
  const console = engine.settings.console.enabled
    ? consoleFiles(options.consoleDirectory, ofHouses)
    : undefined;
  if (console) addConsoleRoutes(app, console);
  addPageRoutes(app, {
    engine,
    hasConsole: () => console?.() !== undefined,
    operations,
    streams,
    pages: engine.houses.flatMap((house) => house.pages ?? []),
    url: () => url,
    readHealth,
  });
  const live = addLiveChanges(app, { engine, authenticate });

  const address = await app.listen({ host: http.host, port: http.port }).catch(async (error: unknown) => {
    process.close();
    await app.close();
    throw cannotListen(error, http);
  });
  for (const { found, advice } of findExposures(http)) engine.log.warn(`${found}; ${advice}`);
  const localUrl = address.replace('[::]', '[::1]');
  url = (http.publicUrl ?? localUrl).replace(/\/$/, '');

  return {
    url,
    localUrl,
    localToken,
    liveConnections: () => live.connections,
    async setupLink() {
      const token = await newSetupToken(engine);
      return token === undefined ? undefined : `${url}/setup#${token}`;
    },
    async close() {
      signals.close();
      live.close();
      await closeApp();
      process.close();
      engine.busyWatch.close();
      readers.close();
      await keyUsage.close();
    },
  };
}

function cannotListen(error: unknown, { host, port }: { host: string; port: number }): PismakError {
  return new PismakError('unavailable', `can't listen on ${host}:${port}: ${whyNot(error)}`, {
    cause: error,
  });
}

function whyNot(error: unknown): string {
  if (isSystemError(error, 'EADDRINUSE')) return 'another program uses it; choose another with http.port';
  if (isSystemError(error, 'EACCES'))
    return 'permission is denied, as for all ports below 1024; choose another with http.port';
  return 'this machine does not have that address; choose another with http.host';
}
