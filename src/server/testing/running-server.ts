import type { Role } from '../../engine/ground/caller.ts';
import type { OpenedEngine } from '../../engine/open-engine.ts';
import { localCaller } from '../access/authenticate.ts';
import { createKey } from '../access/keys.ts';
import { hashPassword } from '../access/password.ts';
import { openServer, type Server, type ServerOptions } from '../open-server.ts';
import { type AnyOperation, operationsOf } from '../operations.ts';
import { queryFromInput } from '../routes/query-input.ts';
import { closeInReverse } from './close-in-reverse.ts';
import { openTestEngine, type TestEngineOptions } from './test-engine.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body of the answer, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks where it likes
  body: any;
}

export interface As {
  key?: string | undefined;
  cookie?: string;
  headers?: Record<string, string>;
}

export interface RunningServer extends Server {
  engine: OpenedEngine;
  send(
    method: string,
    path: string,
    as?: As & { body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> },
  ): Promise<Answer>;
  /** Calls an operation as a client would. */
  call(operation: string, input?: object, as?: As): Promise<Answer>;
  /** A user with a key; the password is `password of NAME`. */
  signUp(name: string, role: Role): Promise<{ name: string; key: string }>;
}

export const passwordOf = (name: string) => `password of ${name}`;

/** The real server on the real embedded engine, on a free port. Closed at the end of the test. */
export async function runServer(
  test: { after(close: () => unknown): void },
  options: ServerOptions & TestEngineOptions & { operations?: AnyOperation[] } = {},
): Promise<RunningServer> {
  const scope = closeInReverse(test);
  const engine = await openTestEngine(scope, options);
  const operations = [...operationsOf(engine.houses), ...(options.operations ?? [])];
  const server = await openServer(engine, operations, options);
  scope.after(() => server.close());
  const byName = new Map(operations.map((operation) => [operation.name, operation]));

  const running: RunningServer = {
    ...server,
    engine,
    async send(method, path, { key, cookie, headers = {}, body } = {}) {
      const response = await fetch(`${server.localUrl}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(cookie === undefined ? {} : { cookie }),
          ...headers,
        },
        ...(body === undefined ? {} : { body, duplex: 'half' as const }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
    call(name, input = {}, as = {}) {
      const path = `/api/v1/${name.replace('.', '/')}`;
      const operation = byName.get(name);
      if (!operation || !('changes' in operation) || !operation.changes) {
        return running.send('GET', `${path}?${queryFromInput(input as Record<string, unknown>)}`, as);
      }
      const headers = { 'content-type': 'application/json', ...as.headers };
      return running.send('POST', path, { ...as, headers, body: JSON.stringify(input) });
    },
    async signUp(name, role) {
      // A cheap hash: these tests are not about slow guessing.
      const cheap = { cost: 1024, blockSize: 8, parallelization: 1 };
      const passwordHash = await hashPassword(passwordOf(name), cheap);
      const account = { name, passwordHash, role, disabled: 0, createdAt: engine.clock.now() };
      await engine.database.query.insertInto('account').values(account).execute();
      const { key } = await createKey(engine, { name: 'test', owner: name }, localCaller('test'));
      return { name, key };
    },
  };
  return running;
}
