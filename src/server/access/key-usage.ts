import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';

/** Counts how often keys are used. Writes the counts every few seconds, so that no request waits for a write. */
export interface KeyUsage {
  /** Counts the call if its caller used a key. */
  count(caller: Caller | undefined): void;
  close(): Promise<void>;
}

const flushEveryMs = 5000;

export function createKeyUsage({
  database,
  clock,
  log,
}: Pick<Engine, 'database' | 'clock' | 'log'>): KeyUsage {
  let counts = new Map<string, { uses: number; lastUsedAt: number }>();
  let cancel: (() => void) | undefined;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const written = counts;
    counts = new Map();
    if (written.size === 0) return;
    try {
      await database.transaction(async (transaction) => {
        for (const [id, { uses, lastUsedAt }] of written) {
          const update = transaction
            .updateTable('apiKey')
            .set((eb) => ({ uses: eb('uses', '+', uses), lastUsedAt }));
          await update.where('id', '=', id).execute();
        }
      });
    } catch (error) {
      // A lost count is worth a line in the log, not a failed request.
      log.warn({ err: error, keys: written.size }, 'could not record the use of keys');
    }
  }

  return {
    count(caller) {
      if (!caller?.credential?.startsWith('key:')) return;
      const id = caller.credential.slice('key:'.length);
      const before = counts.get(id);
      counts.set(id, { uses: (before?.uses ?? 0) + 1, lastUsedAt: clock.now() });
      cancel ??= clock.after(flushEveryMs, () => void flush());
    },
    close: flush,
  };
}
