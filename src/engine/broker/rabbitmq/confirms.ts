/** A confirm can be lost for ever with the leader of a stream; most take milliseconds. */
const confirmMs = 10_000;

/** What a channel has not confirmed, the oldest first, and whether there is still hope that it will. */
export class Confirms<Message extends { sentAt: number }> {
  readonly pending = new Set<Message>();
  #isConfirming = false;
  #lastAt = 0;
  /** When the newest of the confirmed ones was sent. */
  #newestSentAt = 0;

  confirmed(sentAt: number): void {
    this.#isConfirming = true;
    if (sentAt > this.#newestSentAt) this.#newestSentAt = sentAt;
  }

  /**
   * To be asked now and then. A server that is slow confirms something all the time, and about in order; so a confirm is
   * lost when nothing is confirmed at all, or when it was overtaken by far. Before `freeSince` the server took nothing.
   */
  isOverdue(now: number, freeSince: number): boolean {
    if (this.#isConfirming) this.#lastAt = now;
    this.#isConfirming = false;
    const [oldest] = this.pending;
    if (!oldest) return false;
    const since = Math.max(oldest.sentAt, freeSince);
    return now - Math.max(since, this.#lastAt) >= confirmMs || this.#newestSentAt - since >= confirmMs;
  }
}
