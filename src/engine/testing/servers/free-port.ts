import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();

/** A free loopback port, never the same twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address === null || typeof address === 'string' || given.has(address.port)) continue;
    given.add(address.port);
    return address.port;
  }
}
