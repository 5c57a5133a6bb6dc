import type { FastifyReply } from 'fastify';

/**
 * One signal per request. It aborts when the client hangs up before the answer, and when the server closes. Made by
 * hand, because a signal of `AbortSignal.any` is never freed while it has a listener and its source lives on.
 */
export class CallerSignals {
  #open = new Set<AbortController>();
  #closing = false;

  of(reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    if (this.#closing) gone.abort();
    this.#open.add(gone);
    reply.raw.once('close', () => {
      this.#open.delete(gone);
      if (!reply.raw.writableFinished) gone.abort();
    });
    return gone.signal;
  }

  get closing(): boolean {
    return this.#closing;
  }

  close(): void {
    this.#closing = true;
    for (const gone of this.#open) gone.abort();
  }
}
