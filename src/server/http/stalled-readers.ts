import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../engine/time/clock.ts';

/** A client that reads nothing of an answer for this long (at most twice as long) is cut off. */
export const stalledMs = 60_000;

/** Cuts off clients that ask for an answer and don't read it: each would hold a connection, a file and a buffer. */
export function cutStalledReaders(app: FastifyInstance, clock: Clock): { close(): void } {
  /** For each open answer, the bytes read by the client at the last check; undefined if nothing was pending then. */
  const answers = new Map<ServerResponse, number | undefined>();
  app.server.on('request', (_request, response: ServerResponse) => {
    answers.set(response, undefined);
    response.once('close', () => answers.delete(response));
  });

  let cancel = () => {};
  function look(): void {
    for (const [response, before] of answers) {
      const { socket } = response;
      const taken = socket?.writableLength ? socket.bytesWritten - socket.writableLength : undefined;
      if (taken !== undefined && taken === before) socket?.destroy();
      else answers.set(response, taken);
    }
    cancel = clock.after(stalledMs, look);
  }
  cancel = clock.after(stalledMs, look);
  return { close: () => cancel() };
}
