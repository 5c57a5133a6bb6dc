import { z } from 'zod';
import type { OperationContext } from '../../engine/operation/operation.ts';
import { type MailRow, mailQueries } from '../database/tables.ts';
import { mailStates } from '../model/mail.ts';

/** Input and output shared by several operations. Times are milliseconds since the epoch. */

export const mailId = z.string().min(1).max(100);
export const someMail = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';

export const mailRow = z.strictObject({
  id: z.string(),
  type: z.string(),
  class: z.string(),
  to: z.string(),
  owner: z.string(),
  state: z.enum(mailStates),
  attempts: z.int(),
  /** How often a sender died with the mail: each time it may have been sent once more. */
  repeated: z.int(),
  /** How often a relay may have taken the mail without confirming it. */
  unknown: z.int(),
  campaign: z.string(),
  variant: z.string(),
  answer: z.string(),
  relay: z.string(),
  createdAt: z.number(),
  changedAt: z.number(),
  sentAt: z.number().nullable(),
});

export function toMailRow(row: Omit<MailRow, 'fields'>): z.output<typeof mailRow> {
  const { id, type, recipient, owner, state, attempts, takes, unknowns, campaign, variant, answer, relay } =
    row;
  const isOpen = state === 'sending';
  return {
    id,
    type,
    class: row.class,
    to: recipient,
    owner,
    state,
    attempts,
    campaign,
    variant,
    answer,
    relay,
    repeated: Math.max(0, takes - attempts - (isOpen ? 1 : 0)),
    unknown: unknowns,
    createdAt: Number(row.createdAt),
    changedAt: Number(row.changedAt),
    sentAt: row.sentAt === null ? null : Number(row.sentAt),
  };
}

export const mailColumns = [
  ...([
    'id',
    'type',
    'class',
    'recipient',
    'owner',
    'state',
    'attempts',
    'takes',
    'unknowns',
    'campaign',
    'variant',
  ] as const),
  ...(['answer', 'relay', 'createdAt', 'changedAt', 'sentAt', 'version', 'language', 'notAfter'] as const),
];

export async function ownerOfMail(
  { engine }: OperationContext,
  { mail }: { mail: string },
): Promise<string | undefined> {
  const row = await mailQueries(engine)
    .selectFrom('mail_mail')
    .select('owner')
    .where('id', '=', mail)
    .executeTakeFirst();
  return row?.owner;
}
