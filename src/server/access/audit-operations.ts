import { z } from 'zod';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { defineStream, type StreamOperation } from '../../engine/operation/stream-operation.ts';
import { auditQuery, exportAudit, toEntry } from './audit-export.ts';

const entry = z.object({
  id: z.string(),
  at: z.number(),
  actor: z.string(),
  operation: z.string(),
  input: z.unknown().describe('The input, with secrets and long values masked'),
  outcome: z.string().describe('`ok`, or the code of the error'),
  address: z.string(),
  owner: z.string().nullable().describe('User whose data an administrator read'),
  count: z.int().describe('Number of identical events within an hour; the input is that of the first'),
  lastAt: z.number().nullable().describe('Time of the last event if there are several'),
});

const moment = z.number().min(0).max(8.64e15).optional();
const filter = {
  operation: z.string().max(100).optional().describe('Only this operation'),
  actor: z.string().max(100).optional().describe('Only this user, signed in with a password or with any key'),
  owner: z.string().max(100).optional().describe('Only reads of this user’s data by administrators'),
  from: moment.describe('Milliseconds since 1970: only entries from this time on'),
  to: moment.describe('Milliseconds since 1970: only entries before this time'),
};

export const auditList = defineOperation({
  name: 'audit.ls',
  heavy: 'read',
  summary: 'List sign-ins, changes, and reads of other users’ data by administrators, newest first',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    ...filter,
    before: z.string().optional().describe('Only entries older than this one: `next` of the previous page'),
    limit: z.int().min(1).max(500).default(100).describe('At most this many'),
  }),
  output: z.object({ entries: z.array(entry), next: z.string().nullable() }),
  example: { operation: 'stage.delete', limit: 20 },
  async handler({ engine }, { before, limit, ...filter }) {
    let query = auditQuery(engine.database, filter).orderBy('id', 'desc').limit(limit);
    if (before !== undefined) query = query.where('id', '<', before);
    const rows = await query.execute();
    return { entries: rows.map(toEntry), next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  },
});

export const auditExport = defineStream({
  name: 'audit.export',
  heavy: true,
  summary: 'Download the audit log, oldest first, as JSON lines or CSV',
  role: 'admin',
  owner: 'none',
  audited: true,
  input: z.strictObject({
    ...filter,
    format: z.enum(['ndjson', 'csv']).default('ndjson').describe('JSON, one entry a line, or CSV'),
  }),
  example: { format: 'csv', from: 1_767_225_600_000 },
  async open({ engine, signal }, { format, ...filter }) {
    return {
      content: exportAudit(engine.database, filter, format, signal),
      type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      fileName: `audit.${format}`,
    };
  },
});

export const auditOperations: (Operation | StreamOperation)[] = [auditList, auditExport];
