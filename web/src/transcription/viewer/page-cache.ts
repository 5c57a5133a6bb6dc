import { addressOf, call } from '../../api/call.ts';
import type { PageText } from './reading.ts';

/** Pages that were read, and the neighbours that will be asked for next. */
const kept = new Map<string, Promise<PageText>>();
const mostKept = 8;

export function readPage(document: string, page: number): Promise<PageText> {
  const key = `${document} ${page}`;
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const reading = call('document.text', { document, page });
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old);
  return reading;
}

/** A page changes when it is read again. */
export function forgetPages(document: string): void {
  for (const key of kept.keys()) if (key.startsWith(`${document} `)) kept.delete(key);
}

export const viewOf = (document: string, page: number | string) =>
  addressOf('document.view', { document, page });

/** Text and image of a neighbour, so that turning the page shows it at once. */
export function preload(document: string, page: number): void {
  readPage(document, page).then(
    ({ width }) => {
      if (width !== null) new Image().src = viewOf(document, page);
    },
    () => undefined,
  );
}
