/**
 * What changes on the server, as it changes. Browsers open six connections to a server and a stream takes one, so one tab
 * follows the stream and passes it on: it holds a lock, and when it closes, the next tab gets the lock. Without a secure
 * context there are no locks, and each tab follows for itself.
 */
export interface Change {
  /** Null while the server's list can't be reached. */
  id: number | null;
  at: number;
  kind: string;
  entity: string;
  owner?: string;
  data?: Readonly<Record<string, unknown>>;
}

type Told =
  | { type: 'change'; change: Change }
  /** Something may have been missed: read everything again. */
  | { type: 'reset' }
  | { type: 'sample'; sample: Sample }
  | { type: 'connection'; lostSince: number | undefined };

/** Numbers that change all the time, taken once for the whole cluster and told to everybody every few seconds. What is 0 is left out. */
export interface Sample {
  at: number;
  queues: readonly {
    name: string;
    owner?: string;
    ready?: number;
    high?: number;
    backlog?: number;
    delayed?: number;
    inFlight?: number;
    dead?: number;
    oldestAt?: number;
    paused?: boolean;
    broken?: boolean;
  }[];
  rates: Readonly<Record<string, { perMinute: number; meanMs: number }>>;
  workers: readonly { id: string; state: string; stage?: string; inFlight?: number; busySince?: number }[];
  progress: readonly {
    kind: string;
    entity: string;
    owner: string;
    name: string;
    done: number;
    total: number;
  }[];
}

interface Listener {
  kinds: ReadonlySet<string>;
  tell: (change: Change | undefined) => void;
}

class Connection {
  /** Undefined while changes arrive. */
  lostSince = $state<number>();
  /** The latest sample; undefined until the first one comes. */
  sample = $state.raw<Sample>();
}

export const connection = new Connection();
const listeners = new Set<Listener>();
const channel = new BroadcastChannel('pismak.changes');
let lastId: string | undefined;
let started = false;

/**
 * Calls back for every change of these kinds (`*`: of any), and with `undefined` when changes may have been missed. Returns the end of it.
 * In a page use `resource(read, { on })`, which reads again by itself.
 */
export function onChange(
  kinds: string | readonly string[],
  tell: (change: Change | undefined) => void,
): () => void {
  const listener = { kinds: new Set([kinds].flat()), tell };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows from now on. Called once, by the shell, when somebody is signed in. */
export function followChanges(): void {
  if (started) return;
  started = true;
  channel.addEventListener('message', ({ data }) => hear(data as Told));
  if (navigator.locks) void navigator.locks.request('pismak.changes', () => lead());
  else void lead();
}

function pass(told: Told): void {
  hear(told);
  channel.postMessage(told);
}

function hear(told: Told): void {
  if (told.type === 'connection') {
    connection.lostSince = told.lostSince;
    return;
  }
  if (told.type === 'sample') {
    connection.sample = told.sample;
    return;
  }
  if (told.type === 'change' && told.change.id !== null) lastId = String(told.change.id);
  for (const { kinds, tell } of listeners) {
    if (told.type === 'reset') tell(undefined);
    else if (kinds.has(told.change.kind) || kinds.has('*')) tell(told.change);
  }
}

const longestDelayMs = 15_000;

/** Holds the stream as long as this tab lives. */
async function lead(): Promise<never> {
  let delayMs = 500;
  for (;;) {
    const wasOpen = await followOnce();
    delayMs = wasOpen ? 500 : Math.min(delayMs * 2, longestDelayMs);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** Follows until the connection breaks. The browser would come back by itself, but not after a refusal, and never says when. */
function followOnce(): Promise<boolean> {
  const source = new EventSource(`/api/v1/changes${lastId === undefined ? '' : `?since=${lastId}`}`);
  let wasOpen = false;
  return new Promise((resolve) => {
    source.addEventListener('ready', (event) => {
      wasOpen = true;
      lastId = event.lastEventId;
      if (connection.lostSince !== undefined) pass({ type: 'connection', lostSince: undefined });
    });
    source.addEventListener('reset', (event) => {
      wasOpen = true;
      lastId = event.lastEventId;
      pass({ type: 'connection', lostSince: undefined });
      pass({ type: 'reset' });
    });
    source.addEventListener('sample', (event) => pass({ type: 'sample', sample: JSON.parse(event.data) }));
    source.addEventListener('change', (event) => pass({ type: 'change', change: JSON.parse(event.data) }));
    source.addEventListener('error', () => {
      source.close();
      pass({ type: 'connection', lostSince: connection.lostSince ?? Date.now() });
      resolve(wasOpen);
    });
  });
}
