import { PismakError } from '../../engine/ground/errors.ts';

const mostInAll = 256 * 2 ** 20;
const mostPerCaller = 32 * 2 ** 20;

/** Limits the memory of incomplete bodies, which on many connections would add up to gigabytes. */
export class BodyMemory {
  #total = 0;
  #perCaller = new Map<string, number>();

  /** The memory of one request, released on disposal. */
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
          throw new PismakError(
            'too-many-requests',
            'you send too many large requests at once; wait until some are done',
          );
        if (this.#total > mostInAll)
          throw new PismakError('unavailable', 'too many large requests arrive at once; try again later');
      },
      [Symbol.dispose]: () => change(-taken),
    };
  }
}
