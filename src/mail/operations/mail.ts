import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { sleep } from '../../engine/time/clock.ts';
import { getOwnCampaign } from '../campaigns/campaign.ts';
import { mailQueries } from '../database/tables.ts';
import { attachment } from '../model/attachment.ts';
import { mailStates } from '../model/mail.ts';
import { headerText, language, typeCode } from '../model/mail-type.ts';
import { mailColumns, mailId, mailRow, ownerOfMail, someMail, toMailRow } from './rows.ts';

const address = z.string().min(1).max(600);
/** The largest time that a Date can hold. */
export const time = z.number().min(0).max(8.64e15);

export const mailSend = defineOperation({
  name: 'mail.send',
  stores: true,
  summary: 'Send a mail: it is stored and queued, and leaves as soon as a relay takes it',
  role: 'user',
  owner: 'caller',
  changes: true,
  audited: false,
  bodyLimit: 512 * 1024,
  input: z.strictObject({
    type: typeCode.describe('Code of the mail type'),
    to: address.describe('Recipient: anna@example.org or "Anna <anna@example.org>"'),
    data: z.record(z.string(), z.unknown()).default({}).describe('Values for the template'),
    language: language.optional().describe('Language, e.g. cs; that of the type by default'),
    design: z.string().max(253).optional().describe('Design of the type to use, usually a domain'),
    subject: headerText.optional().describe('Subject instead of the type’s'),
    sender: address.optional().describe('Sender instead of the type’s'),
    bcc: z.array(address).max(20).optional().describe('Addresses that get a copy'),
    attachments: z.array(attachment).max(50).optional().describe('Files: name, and path or blob'),
    fields: z.record(z.string(), z.unknown()).optional().describe('Your own fields, stored with the mail'),
    at: time.optional().describe('Not before this time (ms since 1970)'),
    key: z
      .string()
      .min(1)
      .max(200)
      .refine((key) => !/[\p{Cc}\p{Cs}]/u.test(key), 'must be plain text without control characters')
      .optional()
      .describe('Idempotency key: a second call with it sends nothing'),
  }),
  output: z.strictObject({ id: z.string(), isNew: z.boolean() }),
  example: { type: 'order', to: 'anna@example.org', data: { number: 7 } },
  async handler({ engine, caller }, { at, key, fields = {}, ...mail }) {
    const { submitMail } = await import('../delivery/submit-mail.ts');
    return submitMail(engine, { ...fields, ...mail }, { owner: caller, key, notBefore: at });
  },
});

export const mailList = defineOperation({
  name: 'mail.ls',
  summary: 'List mails, the newest first: those of a campaign, or single ones',
  role: 'user',
  owner: 'caller',
  heavy: 'read',
  changes: false,
  input: z.strictObject({
    campaign: z.string().max(100).optional().describe('Name or id of a campaign'),
    state: z.enum(mailStates).optional().describe('Only mails in this state'),
    limit: page.limit.default(100),
    offset: page.offset,
  }),
  output: z.strictObject({ mails: z.array(mailRow) }),
  example: { state: 'failed' },
  async handler({ engine, caller }, { campaign: wanted, state, limit, offset }) {
    const campaign = wanted === undefined ? '' : (await getOwnCampaign(engine, wanted, caller)).id;
    let query = mailQueries(engine)
      .selectFrom('mail_mail')
      .select(mailColumns)
      .where('campaign', '=', campaign);
    if (caller.role !== 'admin') query = query.where('owner', '=', caller.name);
    if (state !== undefined) query = query.where('state', '=', state);
    const ordered = campaign === '' ? query.orderBy('createdAt', 'desc') : query;
    const rows = await ordered.orderBy('id', 'desc').offset(offset).limit(limit).execute();
    return { mails: rows.map(toMailRow) };
  },
});

export const mailShow = defineOperation({
  name: 'mail.show',
  summary: 'Show a mail: its state, what the relay answered, and where it can be read online',
  role: 'user',
  owner: ownerOfMail,
  changes: false,
  input: z.strictObject({ mail: mailId.describe('Id of the mail') }),
  output: z.strictObject({
    ...mailRow.shape,
    fields: z.record(z.string(), z.unknown()),
    onlineUrl: z.string(),
  }),
  example: { mail: someMail },
  async handler({ engine }, { mail }) {
    const { openTokens } = await import('../tokens/tokens.ts');
    const { publicUrl } = await import('../opened/open-mail.ts');
    const row = await mailQueries(engine)
      .selectFrom('mail_mail')
      .select([...mailColumns, 'fields'])
      .where('id', '=', mail)
      .executeTakeFirst();
    if (!row) throw noMail(mail);
    const { fields, ...rest } = row;
    const token = (await openTokens(engine)).of(mail);
    return { ...toMailRow(rest), fields: JSON.parse(fields), onlineUrl: `${publicUrl(engine)}/m/${token}` };
  },
});

export const mailResend = defineOperation({
  name: 'mail.resend',
  stores: true,
  summary: 'Send a mail again that has failed, has expired, or may not have arrived (unknown)',
  role: 'user',
  owner: ownerOfMail,
  changes: true,
  input: z.strictObject({ mail: mailId.describe('Id of the mail') }),
  output: done,
  example: { mail: someMail },
  async handler({ engine }, { mail }) {
    const { resendMails } = await import('../delivery/resend-mails.ts');
    if ((await resendMails(engine, { ids: [mail] })) > 0) return {};
    if (!(await exists(engine, mail))) throw noMail(mail);
    throw new PismakError('conflict', 'only mails that failed, expired or are unknown can be sent again');
  },
});

export const mailCancel = defineOperation({
  name: 'mail.cancel',
  summary: 'Cancel a mail that has not been sent yet',
  role: 'user',
  owner: ownerOfMail,
  changes: true,
  input: z.strictObject({
    mail: mailId.describe('Id of the mail'),
    whole: z
      .boolean()
      .default(false)
      .describe('The mail was put whole into a queue, so it is not in the database yet; for administrators'),
  }),
  output: done,
  example: { mail: someMail },
  async handler({ engine, signal }, { mail, whole }) {
    const result = await mailQueries(engine)
      .updateTable('mail_mail')
      .set({ state: 'cancelled', changedAt: engine.clock.now(), answer: 'cancelled' })
      .where('id', '=', mail)
      .where('state', 'in', ['waiting', 'deferred', 'unknown'])
      .executeTakeFirst();
    if (Number(result.numUpdatedRows) === 0) {
      if (await exists(engine, mail))
        throw new PismakError('conflict', 'the mail has been sent or has ended');
      // Owners were checked before: only administrators get here with an unknown mail.
      if (!whole)
        throw new PismakError(
          'not-found',
          `${noMail(mail).message}; if it is whole in a queue, say so (--whole)`,
        );
      await mailQueries(engine)
        .insertInto('mail_cancelled')
        .values({ mail, at: engine.clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const { withdrawnFreshMs } = await import('../database/erased-addresses.ts');
      await sleep(engine.clock, withdrawnFreshMs, signal);
      return {};
    }
    await engine.backlog.cancel(`mail/${mail}`);
    return {};
  },
});

export function noMail(mail: string): PismakError {
  return new PismakError('not-found', `there is no mail ${mail}`);
}

async function exists(engine: Pick<Engine, 'database'>, mail: string): Promise<boolean> {
  const found = mailQueries(engine).selectFrom('mail_mail').select('id').where('id', '=', mail);
  return (await found.executeTakeFirst()) !== undefined;
}
