import type { Output } from '../../api/call.ts';

export type Pages = Output<'document.show'>['pages'];
export type PageState = Output<'document.pages'>['pages'][number]['state'];
export type Shape = 'ok' | 'waiting' | 'warning' | 'failed' | 'rest';

/** How states of documents and pages look; the words are in the catalogue. */
export const documentShapes = {
  open: 'rest',
  waiting: 'waiting',
  running: 'waiting',
  done: 'ok',
  partly: 'warning',
  failed: 'failed',
  cancelled: 'rest',
} as const;

export const pageShapes: Readonly<Record<PageState, Shape>> = {
  waiting: 'rest',
  running: 'waiting',
  done: 'ok',
  doubtful: 'warning',
  'no-text': 'rest',
  failed: 'failed',
  cancelled: 'rest',
};

export const isActive = (state: string) => state === 'waiting' || state === 'running';
/** Pages whose reading has ended in any way. */
export const endedOf = (pages: Pages) => pages.total - pages.waiting - pages.running;
/** Pages that have a text or were found to have none. */
export const readOf = ({ done, doubtful, noText }: Pages) => done + doubtful + noText;

/** How many pages are in a state, by the server's name of the filter. */
export function countOf(pages: Pages, state: PageState): number {
  return state === 'no-text' ? pages.noText : pages[state];
}

/** The part of its pages after which a document will be finished, if it goes on as it has: undefined before anything is known. */
export function leftMs(parts: { pages: Pages; submittedAt: number | null; now: number }): number | undefined {
  const { pages, submittedAt, now } = parts;
  const ended = endedOf(pages);
  if (submittedAt === null || ended < 3 || ended >= pages.total) return undefined;
  return ((now - submittedAt) / ended) * (pages.total - ended);
}
