import { ownerOf } from './owner-header.ts';

interface Owned {
  headers: Readonly<Record<string, string>>;
}

/** Messages in order, with their owners: the first message of any owner can be taken. */
export class WaitingList<T extends Owned> {
  #messages: T[] = [];
  /** The owners of these messages, and how many each has. */
  readonly owners = new Map<string, { count: number }>();

  get length(): number {
    return this.#messages.length;
  }

  /** In their order. Don't change it. */
  get messages(): readonly T[] {
    return this.#messages;
  }

  push(message: T): void {
    this.#messages.push(message);
    const owner = ownerOf(message);
    const known = this.owners.get(owner);
    if (known) known.count++;
    else this.owners.set(owner, { count: 1 });
  }

  /** The first message of the owner. */
  firstOf(owner: string): T | undefined {
    // Usually all belong to one owner.
    if (this.owners.size === 1) return this.owners.has(owner) ? this.#messages[0] : undefined;
    return this.#messages.find((message) => ownerOf(message) === owner);
  }

  take(owner: string): T | undefined {
    const message = this.firstOf(owner);
    if (!message) return undefined;
    if (message === this.#messages[0]) this.#messages.shift();
    else this.#messages.splice(this.#messages.indexOf(message), 1);
    this.#forget(owner);
    return message;
  }

  /** Takes the last ones. */
  takeLast(count: number): T[] {
    const taken = count > 0 ? this.#messages.splice(-count) : [];
    for (const message of taken) this.#forget(ownerOf(message));
    return taken;
  }

  replace(messages: readonly T[]): void {
    this.#messages = [];
    this.owners.clear();
    for (const message of messages) this.push(message);
  }

  #forget(owner: string): void {
    const known = this.owners.get(owner);
    if (known && --known.count === 0) this.owners.delete(owner);
  }
}
