import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { programOwner } from '../../engine/stage/program-owner.ts';
import { mailQueries } from '../database/tables.ts';
import { addressKey, checkAddress } from '../model/address.ts';
import { checkClass } from './check-class.ts';

const address = z.string().min(3).max(254).describe('The address');
const className = z.string().max(31).default('').describe('Only mails of this class; empty = all mails');
const administrators = { role: 'admin', owner: 'none', changes: true } as const;

export const suppressionAdd = defineOperation({
  ...administrators,
  name: 'suppression.add',
  stores: true,
  summary: 'Send no more mails to an address; checked when a mail is about to leave',
  input: z.strictObject({
    address,
    class: className,
    reason: z.string().max(300).default('by hand').describe('Why'),
  }),
  output: done,
  example: { address: 'anna@example.org' },
  async handler({ engine }, input) {
    if (input.class !== '') checkClass(engine, input.class);
    const row = { ...input, address: addressKey(checkAddress(input.address)), createdAt: engine.clock.now() };
    await mailQueries(engine)
      .insertInto('mail_suppressed')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    tellChange(engine);
    return {};
  },
});

export const suppressionRemove = defineOperation({
  ...administrators,
  name: 'suppression.remove',
  summary: 'Send mails to an address again',
  input: z.strictObject({ address, class: className }),
  output: done,
  example: { address: 'anna@example.org' },
  async handler({ engine }, input) {
    const address = addressKey(checkAddress(input.address));
    const result = await mailQueries(engine)
      .deleteFrom('mail_suppressed')
      .where('address', '=', address)
      .where('class', '=', input.class)
      .executeTakeFirst();
    if (Number(result.numDeletedRows) > 0) {
      tellChange(engine);
      return {};
    }
    const others = await mailQueries(engine)
      .selectFrom('mail_suppressed')
      .select('class')
      .where('address', '=', address)
      .orderBy('class')
      .limit(20)
      .execute();
    const known = others.map((row) => (row.class === '' ? 'all mails' : `class ${row.class}`)).join(', ');
    const wanted = input.class === '' ? '' : ` for class ${input.class}`;
    throw new PismakError(
      'not-found',
      `${input.address} is not suppressed${wanted}${known === '' ? '' : `, but for ${known}`}`,
    );
  },
});

export const suppressionList = defineOperation({
  name: 'suppression.ls',
  summary: 'List the suppressed addresses: unsubscribed, refused for good, or by hand',
  role: 'admin',
  owner: 'none',
  changes: false,
  audited: true,
  input: z.strictObject({
    after: z.string().max(254).default('').describe('Addresses after this one'),
    limit: page.limit,
  }),
  output: z.strictObject({
    addresses: z.array(
      z.strictObject({ address: z.string(), class: z.string(), reason: z.string(), createdAt: z.number() }),
    ),
  }),
  example: { limit: 100 },
  async handler({ engine }, { after, limit }) {
    const all = mailQueries(engine)
      .selectFrom('mail_suppressed')
      .selectAll()
      .orderBy('address')
      .orderBy('class');
    const rows = await all.where('address', '>', after).limit(limit).execute();
    // Pages are by address, so this one must have all classes of its last address.
    const last = rows.at(-1);
    if (last && rows.length === limit)
      rows.push(
        ...(await all
          .where('address', '=', last.address)
          .where('class', '>', last.class)
          .limit(1000)
          .execute()),
      );
    return { addresses: rows.map((row) => ({ ...row, createdAt: Number(row.createdAt) })) };
  },
});

/** Without the address, and to administrators only. */
function tellChange({ changes }: Pick<Engine, 'changes'>): void {
  changes.add({ kind: 'suppression', entity: '', owner: programOwner });
}

export const mailErase = defineOperation({
  ...administrators,
  name: 'mail.erase',
  summary: 'Delete every mail to an address, also in queues, with data and attachments; suppressions stay',
  heavy: 'work',
  deadlineMs: 600_000,
  input: z.strictObject({ address }),
  output: z.strictObject({
    mails: z.int(),
    campaigns: z
      .array(z.string())
      .max(100)
      .describe('Campaigns not yet generated whose audience file names the address'),
  }),
  example: { address: 'anna@example.org' },
  async handler({ engine, signal }, input) {
    const { eraseRecipient } = await import('../retention/erase.ts');
    return eraseRecipient(engine, addressKey(checkAddress(input.address)), signal);
  },
});
