import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { refuseConnection } from './refuse-connection.ts';
import type { IsProxy } from './trusted-proxies.ts';

/**
 * Keeps one client from taking all connections. Connections are limited per address. Those of a trusted proxy belong to
 * many clients, so there the concurrent requests are limited, for each client that the proxy names.
 */
export function limitConnections(
  app: FastifyInstance,
  { connections, connectionsPerAddress, trustProxy }: Settings['http'],
  isProxy: IsProxy,
): void {
  const open = new Counter();
  const underWay = new Counter();
  let total = 0;

  // Run before Node's own listener, which would start to read.
  app.server.prependListener('connection', (socket: Socket) => {
    const address = rateLimit.normalizeIP(socket.remoteAddress ?? '');
    const tooMany =
      total >= connections || (!isProxy(socket.remoteAddress) && open.of(address) >= connectionsPerAddress);
    total++;
    open.add(address, 1);
    socket.once('close', () => {
      total--;
      open.add(address, -1);
    });
    if (tooMany) refuseConnection(socket, tooManyConnections());
  });

  if (!trustProxy) return;
  app.addHook('onRequest', async ({ ip, socket }, reply) => {
    if (!isProxy(socket.remoteAddress)) return;
    const client = rateLimit.normalizeIP(ip);
    if (underWay.of(client) >= connectionsPerAddress) {
      reply.header('retry-after', 1);
      throw new PismakError(
        'too-many-requests',
        'you have too many requests under way; wait until some are done',
      );
    }
    underWay.add(client, 1);
    reply.raw.once('close', () => underWay.add(client, -1));
  });
}

function tooManyConnections(): PismakError {
  return new PismakError('unavailable', 'too many connections are open; close some, or try again later');
}

/** Counts by name, and forgets names whose count is zero. */
class Counter {
  #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}
