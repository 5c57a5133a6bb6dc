import type { ReadStream } from 'node:tty';

/** A terminal's keyboard; `setRawMode` gives each key at once. */
export type Keyboard = Pick<ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

const keys: Readonly<Record<string, 'more' | 'fewer' | 'auto'>> = { '+': 'more', '-': 'fewer', a: 'auto' };

/** Watches for keys that ask for more or fewer harvesters. In raw mode the terminal doesn't handle Ctrl-C, so this does. */
export function watchHarvesterKeys(
  keyboard: Keyboard,
  { pressed, interrupt }: { pressed(key: 'more' | 'fewer' | 'auto'): void; interrupt(): void },
): { close(): void } {
  const read = (data: Buffer) => {
    for (const character of data.toString()) {
      const key = keys[character];
      if (key) pressed(key);
      if (character === '\u0003') interrupt();
    }
  };
  keyboard.setRawMode(true);
  keyboard.on('data', read);
  keyboard.resume();
  return {
    close() {
      keyboard.off('data', read);
      keyboard.setRawMode(false);
      keyboard.pause();
    },
  };
}

/** How many threads a key asks for, given the present number; 0 = auto. */
export function harvestersAfter(key: 'more' | 'fewer' | 'auto', threads: number): number {
  if (key === 'auto') return 0;
  return Math.min(256, Math.max(1, threads + (key === 'more' ? 1 : -1)));
}
