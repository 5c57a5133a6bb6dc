import type { Clock } from '../../time/clock.ts';
import { PostgresCluster } from './cluster.ts';
import { LastingConnection } from './lasting-connection.ts';

const patienceMs = 5_000;

/** Calls `heard` after each commit that notified the channel, and after each connect, because notices may have been missed. */
export async function listenTo(
  url: string,
  { channel, clock, heard }: { channel: string; clock: Clock; heard: () => void },
): Promise<{ close(): Promise<void> }> {
  const connection = new LastingConnection(await PostgresCluster.open(url, clock), {
    clock,
    patienceMs,
    listen: channel,
    onNotice: heard,
    onConnect: heard,
  });
  let closed = false;
  let cancel = () => {};
  // Whoever only listens never learns that the server has frozen. A question without an answer leads to a new connection.
  const ask = async () => {
    await connection.query({ name: 'alive', text: 'SELECT 1' }).catch(() => {});
    again();
  };
  const again = () => {
    if (!closed) cancel = clock.after(patienceMs, () => void ask());
  };
  try {
    await connection.connect();
  } catch (error) {
    await connection.close();
    throw error;
  }
  again();
  return {
    async close() {
      closed = true;
      cancel();
      await connection.close();
    },
  };
}
