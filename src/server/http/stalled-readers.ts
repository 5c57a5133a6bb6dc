import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../engine/time/clock.ts';

/** A client that takes nothing of an answer for this long, up to twice as long, is cut off. */
export const stalledMs = 60_000;

/** Cuts off clients that ask for an answer and don't read it: each would hold a connection, a file and a buffer. */
export function cutStalledReaders(app: FastifyInstance, clock: Clock): { close(): void } {
  /** For each open answer, how much the client had taken at the last look; undefined if nothing waited for it then. */
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
