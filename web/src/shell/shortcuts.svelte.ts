/** One line of the page of keys. */
export interface Shortcut {
  keys: string;
  what: string;
}

class Shortcuts {
  /** Those of the page that is open. */
  ofPage = $state.raw<{ title: string; list: readonly Shortcut[] }>();
}

export const shortcuts = new Shortcuts();

/** In a page: `$effect(() => listShortcuts(t.title, [{ keys: 'N', what: t.next }]))`. */
export function listShortcuts(title: string, list: readonly Shortcut[]): () => void {
  shortcuts.ofPage = { title, list };
  return () => {
    shortcuts.ofPage = undefined;
  };
}

/** Single letters act only where nothing is typed. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], dialog[open]') !== null
  );
}
