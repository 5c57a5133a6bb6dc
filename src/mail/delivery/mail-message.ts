import { z } from 'zod';
import type { OutgoingMessage } from '../../engine/broker/broker.ts';
import { mailFields } from '../model/mail.ts';

const count = z.int().min(0);
/**
 * Text that becomes a column's value. PostgreSQL refuses control characters and lone surrogates, and one of them would fail the
 * whole batch of results.
 */
const plainText = z
  .string()
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'control characters are not allowed');
/** A mail that is not in the database yet. */
const wholeMail = z.strictObject({
  id: plainText.min(1).max(100),
  owner: plainText.max(200),
  createdAt: z.number(),
  notAfter: z.number(),
  fields: mailFields,
  /** Attempts made in an earlier message. */
  tried: z.strictObject({ attempts: count, unknowns: count, takes: count }).optional(),
  /** Not to be sent before this time. */
  notBefore: z.number().optional(),
});
export type WholeMail = z.output<typeof wholeMail>;

/** Messages in the queue of a class: ids of stored mails, one whole mail, or several. */
const namedMails = z.strictObject({ ids: z.array(z.string().max(100)).min(1).max(1000) });
const oneMail = z.strictObject({ mail: wholeMail });
const someMails = z.strictObject({ mails: z.array(wholeMail).min(1).max(100) });

/** Reads a message. Tries a single schema, because a failed attempt costs as much as sending a mail. */
export function readMailMessage(body: Uint8Array): z.output<typeof namedMails> | z.output<typeof someMails> {
  const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  if (typeof value !== 'object' || value === null || 'ids' in value) return namedMails.parse(value);
  return 'mail' in value ? { mails: [oneMail.parse(value).mail] } : someMails.parse(value);
}

/** Mails of campaigns share messages: a message costs as much as a mail. */
export const mailsPerMessage = 25;

/** Fewer than by id: if a sender is killed, the whole message is sent again. */
export const wholeMailsPerMessage = 8;
/** Messages with large mails hold fewer still. */
const wholeMessageBytes = 64 * 1024;

export function byIds(ids: readonly string[], owner: string, lane: 'high' | 'normal'): OutgoingMessage {
  return {
    id: ids[0] ?? '',
    body: Buffer.from(JSON.stringify({ ids })),
    lane,
    headers: { 'pismak-owner': owner },
  };
}

/** Groups mails for messages, in order. */
export function inWholeMessages<Item extends { text: string }>(
  items: readonly Item[],
  most: number,
): Item[][] {
  const groups: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const last = groups.at(-1);
    room -= item.text.length;
    if (last && last.length < most && room >= 0) last.push(item);
    else {
      groups.push([item]);
      room = wholeMessageBytes - item.text.length;
    }
  }
  return groups;
}

/** `texts`: whole mails as JSON. */
export function wholeMessage(
  id: string,
  texts: readonly string[],
  { owner, lane }: { owner: string; lane: 'high' | 'normal' },
): OutgoingMessage {
  const body = texts.length === 1 ? `{"mail":${texts[0]}}` : `{"mails":[${texts.join(',')}]}`;
  return { id, body: Buffer.from(body), lane, headers: { 'pismak-owner': owner } };
}
