import type { IncomingMessage } from 'node:http';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { askForBody } from './expect-continue.ts';

/** Minimum speed: a client must send this much, or the rest of the body, in this time. Slower ones only hold connections. */
export const slowestBody = { bytes: 15 * 1024, withinMs: 15_000 };
/** How much is read ahead while the reader is busy. */
const readAhead = 256 * 1024;

/**
 * The bytes of a request as they arrive. The client is not charged for the time that the reader takes for a
 * chunk. Leaves the connection open if the reader stops early, so that the refusal can be sent.
 */
export async function* bodyChunks(raw: IncomingMessage, clock: Clock): AsyncGenerator<Uint8Array> {
  askForBody(raw);
  const arrived: Uint8Array[] = [];
  let [waiting, recent, patienceMs] = [0, 0, slowestBody.withinMs];
  let ended = raw.readableEnded;
  let failure: Error | undefined;
  let wake = () => {};
  const onData = (chunk: Uint8Array) => {
    arrived.push(chunk);
    waiting += chunk.length;
    recent += chunk.length;
    if (waiting >= readAhead) raw.pause();
    wake();
  };
  const onEnd = () => {
    ended = true;
    wake();
  };
  const onGone = (error?: Error) => {
    failure ??=
      error ?? new PismakError('invalid-input', 'the connection closed before the body was complete');
    wake();
  };

  /** Resolves at the next event, or fails if the client is too slow. */
  async function news(): Promise<void> {
    const since = clock.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    wake = resolve;
    const cancel = clock.after(patienceMs, () => reject(tooSlow()));
    raw.resume();
    try {
      await promise;
    } finally {
      cancel();
    }
    patienceMs -= clock.now() - since;
    if (recent >= slowestBody.bytes) [recent, patienceMs] = [0, slowestBody.withinMs];
  }

  raw.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  try {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk) {
        waiting -= chunk.length;
        yield chunk;
      } else if (ended) return;
      else if (failure) throw failure;
      else await news();
    }
  } finally {
    raw.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    raw.pause();
  }
}

function tooSlow(): PismakError {
  const { bytes, withinMs } = slowestBody;
  return new PismakError(
    'too-slow',
    `the body arrived too slowly: less than ${bytes / 1024} KB in ${withinMs / 1000} s; send it again, or in smaller parts`,
  );
}
