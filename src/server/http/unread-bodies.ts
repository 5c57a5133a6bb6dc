import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../engine/time/clock.ts';

/** How much of a refused body is still read, and for how long, so that the client can read the refusal. */
const fromStrangers = { bytes: 256 * 1024, withinMs: 2000 };
/** Many clients, including browsers, read the answer only after they have sent everything. */
const fromUsers = { withinMs: 30_000 };

/**
 * Closes the connection of a request that is answered before its body has arrived. Node would read the rest of the body,
 * however long, and closing at once would reset the connection while the client still sends: many clients then lose the
 * answer. So we end our side, read on for a moment, and close.
 */
export function closeUnreadBodies(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', ({ raw, caller, routeOptions }, reply, _payload, done) => {
    if (raw.complete) return done();
    // A body that came together with the headers is complete a moment later.
    setImmediate(() => {
      if (raw.complete) return done();
      reply.header('connection', 'close');
      const { bodyLimit } = routeOptions.config ?? {};
      drain(raw, clock, caller && bodyLimit ? { ...bodyLimit, ...fromUsers } : fromStrangers);
      done();
    });
  });
}

function drain(raw: IncomingMessage, clock: Clock, most: { bytes: number; withinMs: number }): void {
  const { socket } = raw;
  let left = most.bytes;
  let answered = false;
  const closeIn = (ms: number) => {
    const cancel = clock.after(ms, () => socket.destroy());
    socket.once('close', cancel);
  };
  raw.on('error', () => {});
  raw.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left >= 0) return;
    raw.pause();
    closeIn(fromStrangers.withinMs);
  });
  raw.once('end', () => {
    if (answered) closeIn(0);
  });
  raw.resume();
  // Node calls this when the answer has been written.
  socket.destroySoon = () => {
    answered = true;
    socket.end();
    closeIn(raw.readableEnded ? 0 : most.withinMs);
  };
}
