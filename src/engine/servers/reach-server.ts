import type { Clock } from '../time/clock.ts';
import { withDeadline } from '../time/deadline.ts';

/**
 * Connects to the server that a URL names and disconnects again, without creating anything there. Resolves to false if the URL
 * names no server (`sqlite:`, `embedded:`, `directory:`); rejects with the reason if it can't be used.
 */
export async function reachServer(url: string, clock: Clock, timeoutMs: number): Promise<boolean> {
  const reaching = reach(url, clock, timeoutMs);
  return withDeadline(clock, timeoutMs + 1000, reaching, () => {
    throw new Error(`no answer within ${Math.round(timeoutMs / 1000)} s`);
  });
}

async function reach(url: string, clock: Clock, timeoutMs: number): Promise<boolean> {
  const [scheme = ''] = url.split(':', 1);
  if (scheme === 'postgres') {
    const pool = await (await import('../database/postgres/pool.ts')).openPostgresPool({
      url,
      max: 1,
      clock,
    });
    try {
      await pool.query('SELECT 1');
    } finally {
      await pool.close();
    }
    return true;
  }
  if (scheme === 'amqp' || scheme === 'amqps') {
    await (await import('../broker/rabbitmq.ts')).reachRabbit(url, clock, timeoutMs);
    return true;
  }
  if (scheme === 'zookeeper' || scheme === 'zookeepers') {
    const { openZookeeperCoordination } = await import('../coordination/zookeeper.ts');
    const tree = await openZookeeperCoordination({ url, clock, sessionTimeoutMs: timeoutMs });
    try {
      // Reading shows whether the nodes are ours.
      await (await tree.openSession('check')).children('/');
    } finally {
      await tree.close();
    }
    return true;
  }
  return false;
}
