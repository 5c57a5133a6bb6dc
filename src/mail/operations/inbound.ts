import { z } from 'zod';
import { stateOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';

export const mailReport = defineOperation({
  name: 'mail.report',
  summary:
    'Process a returned mail: a bounce, a complaint or an unsubscription. Suppresses its address, for all mails or for the class',
  role: 'admin',
  owner: 'none',
  changes: true,
  audited: false,
  bodyLimit: 2 * 1024 * 1024,
  input: z.strictObject({
    content: z.base64().max(1_900_000).describe('The mail as received, in base64'),
    to: z.string().max(320).default('').describe('Recipient of the envelope, if known'),
  }),
  output: z.strictObject({
    kind: z.enum(['bounce', 'complaint', 'unsubscription', 'other']),
    mail: z.string(),
    isSuppressed: z.boolean(),
    reason: z.string(),
  }),
  example: { content: 'U3ViamVjdDogSGVsbG8NCg0KSGVsbG8NCg==' },
  async handler({ engine }, { content, to }) {
    const [{ OpenMail }, { takeReport }] = await Promise.all([
      import('../opened/open-mail.ts'),
      import('../inbound/take-report.ts'),
    ]);
    return takeReport(engine, stateOf(engine, OpenMail).reports, Buffer.from(content, 'base64'), to);
  },
});
