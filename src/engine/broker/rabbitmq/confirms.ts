/** A confirm can be lost for good with the leader of a stream; most take milliseconds. */
const confirmMs = 10_000;

/** The unconfirmed messages of a channel, oldest first, and whether their confirms are lost. */
export class Confirms<Message extends { sentAt: number }> {
  readonly pending = new Set<Message>();
  #isConfirming = false;
  #lastAt = 0;
  /** When the newest confirmed message was sent. */
  #newestSentAt = 0;

  confirmed(sentAt: number): void {
    this.#isConfirming = true;
    if (sentAt > this.#newestSentAt) this.#newestSentAt = sentAt;
  }

  /**
   * Call this now and then. A slow server keeps confirming, roughly in order. So a confirm is lost if the server confirms
   * nothing at all, or if others overtook it by far. Before `freeSince` the server accepted nothing.
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
