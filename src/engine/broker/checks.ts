import { PismakError } from '../ground/errors.ts';
import type { ConsumeOptions, OutgoingMessage, Page } from './broker.ts';

/** The default limit on the size of a message. */
export const usualMaxBytes = 16 * 1024 * 1024;

/** Refuses a message that is too large. Returns its headers as text, or null if it has none. */
export function checkMessage(message: OutgoingMessage, maxBytes: number): string | null {
  const headers =
    message.headers && Object.keys(message.headers).length > 0 ? JSON.stringify(message.headers) : null;
  const size = message.body.length + (headers?.length ?? 0);
  if (size > maxBytes) {
    const text = `Message ${message.id} has ${size} bytes; the limit is ${maxBytes}. Store large content as a blob.`;
    throw new PismakError('message-too-large', text);
  }
  return headers;
}

export function checkConsumeOptions({ concurrency, prefetch = 1, extra = 0 }: ConsumeOptions): void {
  for (const [name, value, least] of [
    ['concurrency', concurrency, 1],
    ['prefetch', prefetch, 1],
    ['extra', extra, 0],
  ] as const) {
    if (Number.isInteger(value) && value >= least) continue;
    const text = `${name} is ${value}, but must be a whole number of at least ${least}.`;
    throw new PismakError('invalid-input', text);
  }
}

export function pageOf({ offset = 0, limit = 100 }: Page = {}): Required<Page> {
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (Number.isInteger(value) && value >= 0) continue;
    throw new PismakError('invalid-input', `${name} is ${value}, but must be a whole number of at least 0.`);
  }
  return { offset, limit };
}
