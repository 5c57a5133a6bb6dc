import { untrack } from 'svelte';
import { CallError } from './call-error.ts';
import { onChange } from './changes.svelte.ts';

/** Something read from the server, and kept right: what is known stays while it is read again. */
export class Resource<T> {
  data = $state.raw<T>();
  error = $state.raw<CallError>();
  loading = $state(true);
  /** When `data` was read. */
  asOf = $state<number>();
  /** Reads again now. */
  reload: () => void = () => {};
}

const leastMs = 250;

/**
 * `const stages = resource(() => call('stage.ls', {}), { on: 'stage' })`, at the top of a component. It is read at once,
 * again when a rune changes that `read` uses before its first `await`, when a change of these kinds comes, and every
 * `everyMs` while the tab is seen. `<Loaded of={stages}>` draws its states.
 */
export function resource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  { on = [], everyMs }: { on?: string | readonly string[]; everyMs?: number } = {},
): Resource<T> {
  const result = new Resource<T>();
  let round = 0;
  let again = $state(0);

  $effect(() => {
    void again;
    const controller = new AbortController();
    const mine = ++round;
    const reading = read(controller.signal);
    untrack(() => {
      result.loading = true;
    });
    reading.then(
      (data) => {
        if (mine !== round) return;
        result.data = data;
        result.error = undefined;
        result.asOf = Date.now();
        result.loading = false;
      },
      (error: unknown) => {
        if (mine !== round || controller.signal.aborted) return;
        result.error = asCallError(error);
        result.loading = false;
      },
    );
    return () => controller.abort();
  });

  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    // A burst of changes is one reading, and the present one is not cut short.
    timer ??= setTimeout(() => {
      timer = undefined;
      if (result.loading) soon();
      else again++;
    }, leastMs);
  };
  result.reload = () => {
    again++;
  };
  $effect(() => {
    const end = onChange(on, soon);
    const beat = everyMs === undefined ? undefined : setInterval(() => document.hidden || soon(), everyMs);
    return () => {
      end();
      clearInterval(beat);
      clearTimeout(timer);
      timer = undefined;
    };
  });
  return result;
}

export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError({ code: 'internal', message: String(error), status: 0 });
}
