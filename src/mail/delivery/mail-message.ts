import { z } from 'zod';
import type { OutgoingMessage } from '../../engine/broker/broker.ts';
import { mailFields } from '../model/mail.ts';

/** What lies in the queue of a class: the ids of stored mails, or a whole mail that no database knows yet. */
const namedMails = z.strictObject({ ids: z.array(z.string().max(100)).min(1).max(1000) });
const wholeMail = z.strictObject({
  mail: z.strictObject({
    id: z.string().min(1).max(100),
    owner: z.string().max(200),
    createdAt: z.number(),
    notAfter: z.number(),
    fields: mailFields,
  }),
});
export type WholeMail = z.output<typeof wholeMail>['mail'];

/** Reads a message; throws what is wrong with it. One schema is tried, because a failed one costs as much as a mail. */
export function readMailMessage(body: Uint8Array): z.output<typeof namedMails> | z.output<typeof wholeMail> {
  const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  const isWhole = typeof value === 'object' && value !== null && 'mail' in value;
  return isWhole ? wholeMail.parse(value) : namedMails.parse(value);
}

/** Mails of campaigns travel together: a message costs as much as the mail itself. */
export const mailsPerMessage = 25;

export function byIds(ids: readonly string[], owner: string, lane: 'high' | 'normal'): OutgoingMessage {
  return {
    id: ids[0] ?? '',
    body: Buffer.from(JSON.stringify({ ids })),
    lane,
    headers: { 'pismak-owner': owner },
  };
}
