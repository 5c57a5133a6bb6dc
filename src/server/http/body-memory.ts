import { PismakError } from '../../engine/errors.ts';

const mostInAll = 256 * 2 ** 20;
const mostPerCaller = 32 * 2 ** 20;

/** The memory of bodies that have not arrived completely. Many connections at once would add up to gigabytes. */
export class BodyMemory {
  #total = 0;
  #perCaller = new Map<string, number>();

  /** What one request takes, until it is disposed of. */
  share(caller: string): { take(bytes: number): void } & Disposable {
    let taken = 0;
    const change = (bytes: number) => {
      taken += bytes;
      this.#total += bytes;
      const own = (this.#perCaller.get(caller) ?? 0) + bytes;
      if (own > 0) this.#perCaller.set(caller, own);
      else this.#perCaller.delete(caller);
    };
    return {
      take: (bytes) => {
        change(bytes);
        if ((this.#perCaller.get(caller) ?? 0) > mostPerCaller)
          throw new PismakError('too-many-requests', 'too many large requests of yours arrive at once');
        if (this.#total > mostInAll)
          throw new PismakError('unavailable', 'too many large requests arrive at once; try again later');
      },
      [Symbol.dispose]: () => change(-taken),
    };
  }
}
