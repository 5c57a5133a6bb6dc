import type { Node, Unwatch } from '../coordination.ts';
import { follow, tellNews } from '../follow.ts';
import { childPath } from './nodes.ts';
import type { NodeState, Znodes } from './znodes.ts';

export interface Following {
  znodes: Znodes;
  /** Called with the error when a listener throws or a watch fails. */
  report(error: unknown): void;
}

export function watchNode(by: Following, path: string, listener: (node: Node | undefined) => void): Unwatch {
  const tell = tellNews(listener, by.report);
  return followNode(by, path, (state) => tell(state?.node, describe(state)));
}

/** Follows each child separately, so a change of one costs one read, however many there are. */
export function watchChildren(by: Following, parent: string, listener: (nodes: Node[]) => void): Unwatch {
  const children = new Map<string, { state: NodeState | undefined; known: boolean; stop: Unwatch }>();
  const tellNew = tellNews(listener, by.report);
  let scheduled: NodeJS.Immediate | undefined;

  const tell = () => {
    scheduled = undefined;
    if ([...children.values()].some((child) => !child.known)) return;
    const states = [...children.keys()].sort().flatMap((name) => children.get(name)?.state ?? []);
    tellNew(
      states.map(({ node }) => ({ ...node })),
      states.map(describe).join('\n'),
    );
  };
  // Changes that come together are reported once.
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

  const stop = followZnode(by, by.znodes.names.directory(parent), () => by.znodes.list(parent, true), update);
  return () => {
    stop();
    for (const child of children.values()) child.stop();
    clearImmediate(scheduled);
  };
}

function followNode(by: Following, path: string, onState: (state: NodeState | undefined) => void): Unwatch {
  return followZnode(by, by.znodes.names.node(path), () => by.znodes.read(path, true), onState);
}

/** Reads now, and again whenever the znode may have changed. */
export function followZnode<State>(
  { znodes, report }: Following,
  znode: string,
  read: () => Promise<State>,
  onState: (state: State) => void,
): Unwatch {
  const followed = follow({
    read,
    onState,
    onError: (error) => {
      if (!znodes.client.isOver) report(error);
    },
  });
  const stop = znodes.client.listen(znode, followed.refresh);
  return () => {
    followed.stop();
    stop();
  };
}

function describe(state: NodeState | undefined): string {
  return state ? `${state.node.path} ${state.stat.czxid} ${state.stat.version}` : 'none';
}
