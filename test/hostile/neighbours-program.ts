/** The hostile neighbours of a besieged Pismak; see neighbours.ts. */
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { messageOf } from '../../src/engine/ground/errors.ts';
import { openHostileRelay } from '../../src/mail/testing/hostile-relay.ts';
import { crawlHostileWeb } from './hostile-web.ts';
import type { FromNeighbours, ToNeighbours } from './neighbours.ts';
import { send, type Visitor } from './target.ts';

const priority = 10;
setPriority(priority);
// Where Linux groups processes by session, only the priority of the session counts. Other systems have no such file.
await writeFile('/proc/self/autogroup', String(priority)).catch(() => undefined);
process.once('disconnect', () => process.exit(1));
const tell = (message: FromNeighbours) => process.send?.(message);

const relay = await openHostileRelay();
let told = 0;
setInterval(() => {
  if (relay.connections === told) return;
  told = relay.connections;
  tell({ relayConnections: told });
}, 200);
process.on('message', ({ crawl }: ToNeighbours) => {
  const onProgress = (line: string) => tell({ line });
  void crawlHostileWeb(callerAs(crawl.url, crawl.visitor), { onProgress }).then(
    (web) => tell({ web }),
    (error: unknown) => tell({ failed: messageOf(error) }),
  );
});
tell({ relayPort: relay.port });

function callerAs(url: string, visitor: Visitor): Parameters<typeof crawlHostileWeb>[0] {
  const ask = async <T>(operation: string, method: string, query: string, input?: object): Promise<T> => {
    const { status, text } = await send(url, visitor, {
      method,
      path: `/api/v1/${operation.replace('.', '/')}${query}`,
      ...(input && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }),
    });
    if (status !== 200) throw new Error(`${operation}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  return {
    call: (operation, input) => ask(operation, 'POST', '', input),
    read: (operation, input = {}) => ask(operation, 'GET', `?${new URLSearchParams(input)}`),
  };
}
