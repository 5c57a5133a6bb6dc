import { z } from 'zod';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';

const entry = z.object({
  id: z.string(),
  at: z.number(),
  actor: z.string(),
  operation: z.string(),
  input: z.unknown().describe('The input, with secrets and long values masked'),
  outcome: z.string().describe('`ok`, or the code of the error'),
  address: z.string(),
});

export const auditList = defineOperation({
  name: 'audit.ls',
  summary: 'List who changed what, newest first',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    operation: z.string().optional().describe('Only this operation'),
    actor: z.string().optional().describe('Only this user, signed in with a password or with any key'),
    before: z.string().optional().describe('Only entries older than this one: `next` of the previous page'),
    limit: z.int().min(1).max(500).default(100).describe('At most this many'),
  }),
  output: z.object({ entries: z.array(entry), next: z.string().nullable() }),
  example: { operation: 'stage.delete', limit: 20 },
  async handler({ engine }, { operation, actor, before, limit }) {
    let query = engine.database.query.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
    if (operation !== undefined) query = query.where('operation', '=', operation);
    if (actor !== undefined) {
      const keyOf = `${actor} (key:`;
      query = query.where(({ eb, fn, or }) => {
        const beginning = fn('substr', ['actor', eb.val(1), eb.val(keyOf.length)]);
        return or([eb('actor', '=', actor), eb(beginning, '=', keyOf)]);
      });
    }
    if (before !== undefined) query = query.where('id', '<', before);
    const rows = await query.execute();
    const entries = rows.map(({ inputJson, ...row }) => ({
      ...row,
      input: JSON.parse(inputJson) as unknown,
    }));
    return { entries, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  },
});

export const auditOperations: Operation[] = [auditList];
