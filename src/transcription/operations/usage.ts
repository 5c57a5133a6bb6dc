import { createHash } from 'node:crypto';
import { z } from 'zod';
import { checkBase } from '../../engine/ground/base-version.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { monthOf, usageNow } from '../../engine/usage/usage.ts';
import { documentQueries } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';
import { subjectOf } from '../documents/document.ts';
import { type Quota, quotaOf, quotaSet, usedPages, type Whose, waitingPages } from '../documents/quota.ts';
import { storageOf, storedBySubject } from '../documents/storage-quota.ts';

const subject = z
  .string()
  .regex(/^(key|user):.{1,200}$/, 'name a key as key:ID or a user as user:NAME')
  .refine((text) => !text.includes('\0'), 'it contains invalid characters; remove them');

export const usageList = defineOperation({
  name: 'usage.ls',
  heavy: 'read',
  summary: 'List your pages and bytes per key and month, and your storage; administrators see everybody’s',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/, 'write the month like 2026-01')
      .optional()
      .describe('Only this month, in UTC; all months by default'),
  }),
  output: z.strictObject({
    usage: z.array(
      z.strictObject({
        subject: z.string(),
        owner: z.string(),
        month: z.string(),
        pages: z.int(),
        bytes: z.int(),
        stored: z
          .int()
          .nullable()
          .describe('Current size of the sources in its documents, in bytes; null for past months'),
      }),
    ),
  }),
  example: { month: '2026-01' },
  async handler({ engine, caller }, { month }) {
    let query = documentQueries(engine).selectFrom('transcription_usage').selectAll();
    if (caller.role !== 'admin') query = query.where('owner', '=', caller.name);
    if (month !== undefined) query = query.where('month', '=', month);
    const rows = await query.orderBy('month', 'desc').orderBy('subject').limit(1000).execute();
    const now = monthOf(engine.clock.now());
    if (month !== undefined && month !== now) return { usage: rows.map((row) => ({ ...row, stored: null })) };
    const owner = caller.role === 'admin' ? undefined : caller.name;
    const storing = await storedBySubject(documentQueries(engine), owner);
    const stored = new Map(storing.map((row) => [row.subject, row.stored]));
    const read = new Set(rows.filter((row) => row.month === now).map((row) => row.subject));
    return {
      usage: [
        ...storing
          .filter(({ subject }) => !read.has(subject))
          .map((row) => ({ ...row, month: now, pages: 0, bytes: 0 })),
        ...rows.map((row) => ({ ...row, stored: row.month === now ? (stored.get(row.subject) ?? 0) : null })),
      ],
    };
  },
});

const quota = z.int().min(0).max(1e12).nullable();

export const usageShow = defineOperation({
  name: 'usage.show',
  heavy: 'read',
  summary: 'Show your usage this month with all keys together, and your limits',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({}),
  output: z.strictObject({
    owner: z.string(),
    month: z.string(),
    pages: z.int(),
    waiting: z.int(),
    pagesPerMonth: quota.describe('null: no limit'),
    pagesWaiting: quota.describe('null: no limit'),
    stored: z
      .int()
      .describe('Size of the sources in your documents or in those of the key, whichever has less room left'),
    storageMb: z.number().nullable().describe('The limit on that size; null: no limit'),
    key: z
      .strictObject({
        subject: z.string(),
        pages: z.int(),
        waiting: z.int(),
        pagesPerMonth: quota,
        pagesWaiting: quota,
      })
      .nullable()
      .describe('The key that you use, if it has limits besides yours'),
    counted: z
      .array(z.strictObject({ kind: z.string(), period: z.string(), count: z.int() }))
      .max(100)
      .describe(
        'What else counts against limits, in this month or today: mail.mails, mail.bytes, statistics.events',
      ),
  }),
  example: {},
  async handler({ engine, caller }) {
    const queries = documentQueries(engine);
    const owner = caller.name;
    const subject = subjectOf(caller);
    const month = monthOf(engine.clock.now());
    const figures = async (whose: Whose, { pagesPerMonth, pagesWaiting }: Quota) => ({
      pages: await usedPages(queries, whose, month),
      waiting: await waitingPages(queries, whose),
      pagesPerMonth,
      pagesWaiting,
    });
    const ofKey = subject.startsWith('key:') ? await quotaSet(queries, subject) : undefined;
    return {
      owner,
      month,
      ...(await figures({ owner }, await quotaOf(engine, queries, owner))),
      ...(await storageOf(engine, queries, { subject, owner })),
      key: ofKey ? { subject, ...(await figures({ subject }, ofKey)) } : null,
      counted: (await usageNow(engine.database.query, owner, engine.clock.now())).filter(
        ({ kind }) => !kind.startsWith('transcription.'),
      ),
    };
  },
});

export const usageLimit = defineOperation({
  name: 'usage.limit',
  summary:
    'Limit the pages of a user (with all keys together) or of one key per month, the pages waiting, and the storage',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    subject,
    pagesPerMonth: quota.default(null).describe('Pages per month; null: no limit'),
    pagesWaiting: quota.default(null).describe('Unfinished pages at once; null: no limit'),
    storageMb: quota.default(null).describe('Total size of the sources in its documents; null: no limit'),
    base: z
      .string()
      .max(100)
      .optional()
      .describe(
        'Version of the limits that the change starts from (`none`: there were none): if somebody has changed them since, the answer is `conflict`',
      ),
  }),
  output: done,
  example: { subject: 'user:anna', pagesPerMonth: 10_000, pagesWaiting: null, storageMb: 50_000 },
  async handler({ engine }, { subject, base, ...limits }) {
    await engine.database.withTables<TranscriptionTables>().transaction(async (transaction) => {
      const before = await transaction
        .selectFrom('transcription_quota')
        .selectAll()
        .where('subject', '=', subject)
        .executeTakeFirst();
      const version = before ? limitsVersion(before) : 'none';
      checkBase(`the limit of ${subject}`, base, { version, changedBy: null, changedAt: null });
      await transaction
        .insertInto('transcription_quota')
        .values({ subject, ...limits })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(limits))
        .execute();
    });
    return {};
  },
});

export const usageLimits = defineOperation({
  name: 'usage.limits',
  summary: 'List the users and keys that have limits of their own',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ ...page }),
  output: z.strictObject({
    limits: z.array(
      z.strictObject({
        subject: z.string(),
        pagesPerMonth: quota,
        pagesWaiting: quota,
        storageMb: quota,
        version: z.string().describe('Changes with the limits; `base` of `usage.limit`'),
      }),
    ),
  }),
  example: {},
  async handler({ engine }, { offset, limit }) {
    const rows = await documentQueries(engine)
      .selectFrom('transcription_quota')
      .selectAll()
      .orderBy('subject')
      .limit(limit)
      .offset(offset)
      .execute();
    return { limits: rows.map((row) => ({ ...row, version: limitsVersion(row) })) };
  },
});

/** Limits have no history, so their version is what they are. */
function limitsVersion({ pagesPerMonth, pagesWaiting, storageMb }: Quota): string {
  const content = JSON.stringify([pagesPerMonth, pagesWaiting, storageMb]);
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

export const usageOperations: Operation[] = [usageList, usageShow, usageLimits, usageLimit];
