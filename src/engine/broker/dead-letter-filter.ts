import type { DeadLetterChoice, DeadLetterFilter, StoredMessage } from './broker.ts';
import { ownerOf } from './owner-header.ts';

/** A dead letter as far as a filter looks at it. The body may be left out unless the filter has a text. */
export type Letter = Pick<StoredMessage, 'id' | 'headers' | 'history' | 'publishedAt' | 'body'>;

/** The same for all brokers, so that a filter means the same everywhere. */
export function letterMatcher(filter: DeadLetterFilter): (letter: Letter) => boolean {
  const { owner, since, before } = filter;
  const reason = filter.reason?.toLowerCase();
  const text = filter.text?.toLowerCase();
  const bytes = Buffer.from(filter.text ?? '');
  return (letter) => {
    if (owner !== undefined && ownerOf(letter) !== owner) return false;
    const last = letter.history.at(-1);
    // A letter that another program has buried has no history.
    const diedAt = last?.at ?? letter.publishedAt;
    if (since !== undefined && diedAt < since) return false;
    if (before !== undefined && diedAt >= before) return false;
    if (reason !== undefined && !(last?.reason ?? '').toLowerCase().includes(reason)) return false;
    if (text === undefined) return true;
    const texts = [letter.id, ...Object.values(letter.headers), ...letter.history.map((one) => one.reason)];
    return texts.some((one) => one.toLowerCase().includes(text)) || bytesOf(letter).includes(bytes);
  };
}

function bytesOf({ body }: Letter): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

/** Ids, or a filter. */
export function isFilter(which: DeadLetterChoice | undefined): which is DeadLetterFilter {
  return which !== undefined && !Array.isArray(which);
}

/** Whether a letter is one of those that the caller means: all, these ids, or those that match. */
export function chosenBy(which: DeadLetterChoice | undefined): (letter: Letter) => boolean {
  if (which === undefined) return () => true;
  if (isFilter(which)) return letterMatcher(which);
  const ids = new Set(which);
  return ({ id }) => ids.has(id);
}

/** How much of the bodies is in memory at once while letters are searched. A larger one is examined alone. */
export const bytesAtOnce = 8 * 1024 * 1024;
