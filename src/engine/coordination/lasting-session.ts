import type { Coordination } from './coordination.ts';
import type { CoordinationSource } from './open.ts';

/**
 * For callers that only read and write: when the session is lost, the next call opens another. Ephemeral nodes, watches
 * and holds end with the session that made them, so callers that have those (workers, services) open their own sessions.
 */
export async function openLastingSession(
  source: Pick<CoordinationSource, 'openSession'>,
  identity: string,
): Promise<Coordination> {
  let current = await source.openSession(identity);
  let opening: Promise<Coordination> | undefined;
  const never = new AbortController().signal;

  function live(): Promise<Coordination> {
    if (!current.lost.aborted) return Promise.resolve(current);
    opening ??= source
      .openSession(identity)
      .then((session) => {
        current = session;
        return session;
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  return {
    get session() {
      return current.session;
    },
    lost: never,
    get: async (path) => (await live()).get(path),
    children: async (path) => (await live()).children(path),
    create: async (path, value, options) => (await live()).create(path, value, options),
    set: async (path, value, options) => (await live()).set(path, value, options),
    delete: async (path, options) => (await live()).delete(path, options),
    watch: (path, listener) => current.watch(path, listener),
    watchChildren: (path, listener) => current.watchChildren(path, listener),
    hold: async (path, holder, signal) => (await live()).hold(path, holder, signal),
    holder: async (path) => (await live()).holder(path),
    close: () => current.close(),
  };
}
