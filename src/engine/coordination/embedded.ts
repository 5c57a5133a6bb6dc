import type { Database, Queries } from '../database/database.ts';
import { Mutex } from '../database/sqlite/mutex.ts';
import { PismakError } from '../errors.ts';
import { newId } from '../identity.ts';
import type { Clock } from '../time/clock.ts';
import type { Coordination } from './coordination.ts';
import { HoldLines } from './embedded/hold-lines.ts';
import { NodeTree } from './embedded/node-tree.ts';
import { EmbeddedSession } from './embedded/session.ts';
import { warnOfListener } from './warn-of-listener.ts';

/** One tree in this process; each worker and service has a session of its own in it. */
export interface EmbeddedTree {
  openSession(identity: string): Promise<Coordination>;
  /** Ends a session as if nothing had been heard of it for too long. */
  expire(session: string): Promise<void>;
  /** Ends all sessions. The database is the caller's. */
  close(): Promise<void>;
}

/**
 * Persistent nodes and fences are kept in the database, ephemeral nodes and holds live and die with this process. There
 * is one tree per database. Don't await it inside a database transaction: its own writes would wait for that one.
 */
export async function openEmbeddedTree(parts: {
  database: Database;
  clock: Clock;
  /** Told when a listener of a watch throws. */
  report?: (error: unknown) => void;
}): Promise<EmbeddedTree> {
  const { database, clock, report = warnOfListener } = parts;
  const turns = new Mutex();
  const nodes = new NodeTree(database.query, report);
  const holds = new HoldLines(turns, (path) => nextFence(database.query, path));
  await nodes.load();
  const sessions = new Map<string, EmbeddedSession>();

  return {
    async openSession(identity) {
      const session = new EmbeddedSession(`${identity}-${newId(clock)}`, { turns, nodes, holds }, () =>
        sessions.delete(session.session),
      );
      sessions.set(session.session, session);
      return session;
    },
    async expire(name) {
      const session = sessions.get(name);
      if (!session) throw new PismakError('not-found', `There is no session ${name}`);
      await session.expire();
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
  };
}

async function nextFence(queries: Queries, path: string): Promise<number> {
  const { fence } = await queries
    .insertInto('coordinationFence')
    .values({ path, fence: 1 })
    .onConflict((conflict) =>
      conflict.column('path').doUpdateSet((row) => ({ fence: row('coordinationFence.fence', '+', 1) })),
    )
    .returning('fence')
    .executeTakeFirstOrThrow();
  return fence;
}
