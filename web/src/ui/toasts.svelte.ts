import { asCallError } from '../api/resource.svelte.ts';
import { shellWords } from '../shell/words.ts';
import { sayIn } from '../text/say.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'done' | 'failed';
  /** Takes back what was done. */
  undo?: () => unknown;
}

class Toasts {
  list = $state.raw<readonly Toast[]>([]);
}

export const toasts = new Toasts();
let lastId = 0;

/** Says that something is done: `toast('The stage is paused', { undo: () => resume() })`. */
export function toast(text: string, { undo }: { undo?: () => unknown } = {}): void {
  show({ text, kind: 'done', ...(undo && { undo }) }, undo ? 10_000 : 5000);
}

/** Says why an action failed, in the person's language. */
export function toastError(error: unknown): void {
  const failure = asCallError(error);
  const { errors, server } = shellWords.t;
  const sentence = (errors as Record<string, string>)[failure.code] ?? errors.internal;
  show({ text: `${sentence} ${sayIn(server, failure)}`, kind: 'failed' }, 15_000);
}

/** Runs an action of a button and says how it went. */
export async function act(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) toast(done);
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

export function dismiss(id: number): void {
  toasts.list = toasts.list.filter((one) => one.id !== id);
}

function show(one: Omit<Toast, 'id'>, ms: number): void {
  const id = ++lastId;
  toasts.list = [...toasts.list.slice(-3), { ...one, id }];
  setTimeout(() => dismiss(id), ms);
}
