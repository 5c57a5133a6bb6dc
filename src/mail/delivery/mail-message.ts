import { z } from 'zod';
import type { OutgoingMessage } from '../../engine/broker/broker.ts';
import { mailFields } from '../model/mail.ts';

/** What lies in the queue of a class: the ids of stored mails, or a whole mail that no database knows yet. */
export const mailMessage = z.union([
  z.strictObject({ ids: z.array(z.string().max(100)).min(1).max(1000) }),
  z.strictObject({
    mail: z.strictObject({
      id: z.string().min(1).max(100),
      owner: z.string().max(200),
      createdAt: z.number(),
      notAfter: z.number(),
      fields: mailFields,
    }),
  }),
]);
export type MailMessage = z.output<typeof mailMessage>;

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
