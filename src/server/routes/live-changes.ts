import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { type Change, everythingChanged } from '../../engine/event/change-log.ts';
import { type Caller, mayTouch } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { type Sample, visibleSample } from '../../engine/sample/sample.ts';
import type { Authenticate } from '../access/authenticate.ts';

export interface LiveChanges {
  readonly connections: number;
  close(): void;
}

export const changesRoute = { name: 'change.follow', role: 'reader', path: '/api/v1/changes' } as const;

export const liveLimits = {
  connections: 500,
  connectionsPerCaller: 20,
  /** A client that reads too slowly is cut off when this much is buffered for it. It can resume. */
  bufferedBytes: 1_000_000,
  /** For a client that missed more than this, reading everything again is cheaper. */
  replayed: 2000,
  heartbeatMs: 15_000,
};

/** Changes of these kinds may have revoked a client's access. */
const accessKinds = new Set(['user', 'key', 'session']);

/**
 * `GET /api/v1/changes`: server-sent events fed by the change log. A client that comes back with `Last-Event-ID` (or
 * `?since=`) gets what it missed, or `reset` if that is too much: then it must read everything again.
 */
export function addLiveChanges(
  app: FastifyInstance,
  { engine, authenticate }: { engine: Engine; authenticate: Authenticate },
): LiveChanges {
  const open = new Map<ServerResponse, string>();

  app.get(changesRoute.path, { config: { access: changesRoute } }, async (request, reply) => {
    const caller = authorise(changesRoute, request.caller, request.ip);
    const since = lastSeen(request);
    // Another process may have told this number before this one has read it.
    if (since !== undefined) await engine.changes.reach(since);
    if (reply.raw.destroyed) return reply.hijack();
    const own = [...open.values()].filter((name) => name === caller.name).length;
    if (own >= liveLimits.connectionsPerCaller || open.size >= liveLimits.connections) {
      throw new PismakError(
        'too-many-requests',
        'too many clients already follow the changes; close some first',
      );
    }
    reply.hijack();
    const response = startStream(reply);
    open.set(response, caller.name);
    response.once('close', () => open.delete(response));
    follow(response, request, caller, since);
  });

  function follow(
    response: ServerResponse,
    request: FastifyRequest,
    first: Caller,
    since: number | undefined,
  ): void {
    let caller = first;
    const { changes, clock } = engine;

    function send(text: string): void {
      if (response.destroyed) return;
      if (response.writableLength + text.length > liveLimits.bufferedBytes) response.destroy();
      else response.write(text);
    }
    function tell(change: Change): void {
      if (change.kind === everythingChanged) send(event('reset', change.id, {}));
      else if (change.owner === undefined || mayTouch(caller, change.owner))
        send(event('change', change.id, change));
      // React only to changes of this user: otherwise a user who creates keys in a loop would trigger checks of all clients.
      if (accessKinds.has(change.kind) && change.owner === caller.name) void checkAccess();
    }
    async function checkAccess(): Promise<void> {
      try {
        caller = authorise(changesRoute, await authenticate(request), request.ip);
      } catch {
        response.end();
      }
    }

    const missed = since === undefined ? [] : changes.since(since);
    if (!missed || missed.length > liveLimits.replayed) send(event('reset', changes.lastId, {}));
    else {
      send(event('ready', since ?? changes.lastId, {}));
      for (const change of missed) tell(change);
    }
    const unsubscribe = changes.subscribe(tell);
    // A client that reads slowly is told less often: the next sample says everything again.
    const unfollow = engine.samples.follow((sample) => {
      if (response.writableLength === 0) send(forCaller(sample, caller));
    });

    let cancel = () => {};
    function beat(): void {
      cancel = clock.after(liveLimits.heartbeatMs, () => {
        send(': still here\n\n');
        void checkAccess();
        beat();
      });
    }
    beat();
    response.once('close', () => {
      unsubscribe();
      unfollow();
      cancel();
    });
  }

  return {
    get connections() {
      return open.size;
    },
    close() {
      for (const response of open.keys()) response.end();
    },
  };
}

const made = new WeakMap<Sample, Map<string, string>>();

/** The event of a sample, made once for all streams of a user. It has no number: nobody needs those that were missed. */
function forCaller(sample: Sample, caller: Caller): string {
  const texts = made.get(sample) ?? new Map<string, string>();
  made.set(sample, texts);
  // No user has an empty name.
  const key = caller.role === 'admin' ? '' : caller.name;
  const text = texts.get(key) ?? event('sample', null, visibleSample(sample, caller));
  texts.set(key, text);
  return text;
}

function startStream(reply: FastifyReply): ServerResponse {
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  };
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200);
  reply.raw.flushHeaders();
  return reply.raw;
}

/** Without a number, the client's last one stays: when it comes back, it gets this change again. */
function event(name: string, id: number | null, data: unknown): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function lastSeen(request: FastifyRequest): number | undefined {
  const { since } = request.query as { since?: string };
  const text = request.headers['last-event-id'] ?? since;
  if (text === undefined) return undefined;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 0) {
    throw new PismakError(
      'invalid-input',
      'Last-Event-ID (or since) must be the number of the last change you saw',
    );
  }
  return id;
}
