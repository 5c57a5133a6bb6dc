import { hasCode } from '../ground/errors.ts';
import type { Node, Unwatch } from './coordination.ts';
import { type Followed, follow, tellNews } from './follow.ts';
import { parentOf } from './path.ts';

/** A watched node, or the watched children of one. */
type Watched = `node ${string}` | `children ${string}`;

/** Listeners of a tree that announces each node change. They read again what may have changed. */
export class Watches {
  readonly #nodes: Nodes;
  readonly #report: (error: unknown) => void;
  readonly #followed = new Map<Watched, Set<Followed>>();

  constructor(nodes: Nodes, report: (error: unknown) => void) {
    this.#nodes = nodes;
    this.#report = report;
  }

  watch(path: string, listener: (node: Node | undefined) => void): Unwatch {
    return this.#watch(`node ${path}`, async () => this.#nodes.get(path), listener);
  }

  watchChildren(path: string, listener: (nodes: Node[]) => void): Unwatch {
    return this.#watch(`children ${path}`, async () => this.#nodes.children(path), listener);
  }

  nodeChanged(path: string): void {
    for (const followed of this.#followed.get(`node ${path}`) ?? []) followed.refresh();
    for (const followed of this.#followed.get(`children ${parentOf(path)}`) ?? []) followed.refresh();
  }

  /** Changes may have been missed. */
  refreshAll(): void {
    for (const all of this.#followed.values()) for (const followed of all) followed.refresh();
  }

  #watch<State>(what: Watched, read: () => Promise<State>, listener: (state: State) => void): Unwatch {
    const tell = tellNews(listener, this.#report);
    const followed = follow({
      read,
      onState: (state) => tell(state, JSON.stringify(state) ?? 'none'),
      onError: (error) => {
        // When the server is back, all watches are refreshed.
        if (!hasCode(error, 'unavailable')) this.#report(error);
      },
    });
    const all = this.#followed.get(what) ?? new Set();
    this.#followed.set(what, all.add(followed));
    return () => {
      followed.stop();
      all.delete(followed);
      if (all.size === 0 && this.#followed.get(what) === all) this.#followed.delete(what);
    };
  }
}

interface Nodes {
  get(path: string): Node | undefined | Promise<Node | undefined>;
  children(path: string): Node[] | Promise<Node[]>;
}
