import type { Node, Unwatch } from '../coordination.ts';
import { childPath } from './nodes.ts';
import type { NodeState, Znodes } from './znodes.ts';

export interface Following {
  znodes: Znodes;
  /** Told when a listener throws, or when something cannot be watched. */
  report(error: unknown): void;
}

export function watchNode(by: Following, path: string, listener: (node: Node | undefined) => void): Unwatch {
  let told: string | undefined;
  return followNode(by, path, (state) => {
    const now = describe(state);
    if (now === told) return;
    told = now;
    void call(by, () => listener(state?.node));
  });
}

/** Each child is followed for itself, so a change of one costs one read, however many there are. */
export function watchChildren(by: Following, parent: string, listener: (nodes: Node[]) => void): Unwatch {
  const children = new Map<string, { state: NodeState | undefined; known: boolean; stop: Unwatch }>();
  let told: string | undefined;
  let scheduled: NodeJS.Immediate | undefined;

  const tell = () => {
    scheduled = undefined;
    if ([...children.values()].some((child) => !child.known)) return;
    const states = [...children.keys()].sort().flatMap((name) => children.get(name)?.state ?? []);
    const now = states.map(describe).join('\n');
    if (now === told) return;
    told = now;
    void call(by, () => listener(states.map(({ node }) => ({ ...node }))));
  };
  // Many changes that come together are told once.
  const tellSoon = () => {
    scheduled ??= setImmediate(tell);
  };
  const update = (names: string[]) => {
    for (const [name, child] of children) {
      if (names.includes(name)) continue;
      child.stop();
      children.delete(name);
    }
    for (const name of names) {
      if (children.has(name)) continue;
      const child = { state: undefined as NodeState | undefined, known: false, stop: () => {} };
      children.set(name, child);
      child.stop = followNode(by, childPath(parent, name), (state) => {
        child.state = state;
        child.known = true;
        tellSoon();
      });
    }
    tellSoon();
  };

  const stop = follow(by, by.znodes.names.directory(parent), () => by.znodes.list(parent, true), update);
  return () => {
    stop();
    for (const child of children.values()) child.stop();
    clearImmediate(scheduled);
  };
}

function followNode(by: Following, path: string, onState: (state: NodeState | undefined) => void): Unwatch {
  return follow(by, by.znodes.names.node(path), () => by.znodes.read(path, true), onState);
}

/** Reads now, and again whenever the znode may have changed: one read at a time, so the last one is the newest. */
export function follow<State>(
  { znodes, report }: Following,
  znode: string,
  read: () => Promise<State>,
  onState: (state: State) => void,
): Unwatch {
  let active = true;
  let reading = false;
  let stale = false;
  const refresh = async () => {
    stale = true;
    if (reading) return;
    reading = true;
    try {
      while (stale && active) {
        stale = false;
        const state = await read();
        if (active) onState(state);
      }
    } finally {
      reading = false;
    }
  };
  const refreshOrReport = () => {
    refresh().catch((error: unknown) => {
      if (active && !znodes.client.isOver) report(error);
    });
  };
  const stop = znodes.client.listen(znode, refreshOrReport);
  refreshOrReport();
  return () => {
    active = false;
    stop();
  };
}

function describe(state: NodeState | undefined): string {
  return state ? `${state.node.path} ${state.stat.createdBy} ${state.stat.version}` : 'none';
}

/** A listener may be an async function: what it rejects with is caught too. */
async function call(by: Following, listener: () => unknown): Promise<void> {
  try {
    await listener();
  } catch (error) {
    by.report(error);
  }
}
