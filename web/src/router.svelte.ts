import { type Parameters, type Pattern, patternOf } from './path-pattern.ts';

const base = '/console/';

/** Where the person is: the address below /console/ is the state of the page, so a link or a reload shows the same. */
class Router {
  /** Without a slash at its beginning: `engine/queues`. */
  path = $state('');
  query = $state.raw(new URLSearchParams());
  /** Asks before leaving; true lets go. */
  #guard: (() => boolean) | undefined;
  #scrolls = new Map<string, number>();

  constructor() {
    this.#read();
    addEventListener('popstate', () => {
      this.#read();
      this.#scrollBack();
    });
    // Ours to restore: the page is drawn after its data.
    history.scrollRestoration = 'manual';
  }

  /** The address of a path below /console/, for `href`. */
  href(path: string): string {
    return `${base}${path}`;
  }

  /** Opens a page: `router.go('engine/queues?filter=x')`. */
  go(path: string, { replace = false }: { replace?: boolean } = {}): void {
    if (this.#guard && !this.#guard()) return;
    this.#scrolls.set(this.#key(), scrollY);
    history[replace ? 'replaceState' : 'pushState'](
      { key: crypto.randomUUID?.() ?? `${Math.random()}` },
      '',
      this.href(path),
    );
    const before = this.path;
    this.#read();
    if (this.path !== before) scrollTo(0, 0);
  }

  /** Changes parts of the query and stays on the page; undefined or '' removes one. Typing should not fill the history: replace. */
  set(changes: Record<string, string | undefined>, { replace = true }: { replace?: boolean } = {}): void {
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') query.delete(name);
      else query.set(name, value);
    }
    history[replace ? 'replaceState' : 'pushState'](
      history.state,
      '',
      `${base}${this.path}${query.size > 0 ? `?${query}` : ''}`,
    );
    this.query = query;
  }

  /** While a form has unsaved changes: `guard(() => confirm(...))`. Returns the end of it. */
  guard(ask: () => boolean): () => void {
    this.#guard = ask;
    return () => {
      this.#guard = undefined;
    };
  }

  /** Follows a click on a link of the console without loading the page anew. */
  follow(event: MouseEvent): void {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const path = link && this.pathOf(link);
    if (!path && path !== '') return;
    event.preventDefault();
    this.go(path);
  }

  /** Where a link leads, below /console/; undefined if it leaves the console. */
  pathOf(link: HTMLAnchorElement): string | undefined {
    if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
    if (!link.pathname.startsWith(base)) return undefined;
    return `${link.pathname.slice(base.length)}${link.search}`;
  }

  #read(): void {
    this.path = location.pathname.slice(base.length).replace(/\/$/, '');
    this.query = new URLSearchParams(location.search);
  }

  #key(): string {
    return (history.state as { key?: string } | null)?.key ?? '';
  }

  #scrollBack(): void {
    const top = this.#scrolls.get(this.#key()) ?? 0;
    requestAnimationFrame(() => scrollTo(0, top));
  }
}

export const router = new Router();

/** The first of these whose path fits, with the parts of the address. */
export function match<T extends { path: string }>(
  routes: readonly T[],
  path: string,
): { route: T; params: Parameters } | undefined {
  for (const route of routes) {
    const params = patterned(route.path)(path);
    if (params) return { route, params };
  }
  return undefined;
}

const patterns = new Map<string, Pattern>();

function patterned(path: string): Pattern {
  const known = patterns.get(path) ?? patternOf(path);
  patterns.set(path, known);
  return known;
}
