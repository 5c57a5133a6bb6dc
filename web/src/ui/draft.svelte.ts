const prefix = 'pismak.draft.';

export interface Draft<T> {
  /** What is typed: bind fields to it. */
  value: T;
  /** Whether it differs from what it began with. */
  readonly changed: boolean;
  /** After it is saved, or given up: begins again. */
  clear(next?: T): void;
}

/**
 * What is typed into a form, kept through a reload of the tab (an upgrade, an accident): `const draft = makeDraft('stage page', { ... })`
 * at the top of a component, `bind:value={draft.value.name}`. The name says which thing is edited.
 */
export function makeDraft<T extends object>(name: string, initial: T): Draft<T> {
  let start = $state.raw(initial);
  let value = $state(read<T>(name) ?? structuredClone(initial));
  const changed = $derived(JSON.stringify(value) !== JSON.stringify(start));
  // At once: a reload gives no notice.
  $effect(() => write(name, changed ? JSON.stringify(value) : undefined));

  return {
    get value() {
      return value;
    },
    set value(next: T) {
      value = next;
    },
    get changed() {
      return changed;
    },
    clear(next = initial) {
      start = next;
      value = structuredClone(next);
      write(name, undefined);
    },
  };
}

function read<T>(name: string): T | undefined {
  try {
    const text = sessionStorage.getItem(prefix + name);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function write(name: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, text);
  } catch {
    // Full, or not allowed: then a reload loses it.
  }
}
