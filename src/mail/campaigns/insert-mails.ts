import { insertMany } from '../database/many-rows.ts';
import type { MailDatabase } from '../database/tables.ts';
import type { CampaignMail, sharedColumns } from './campaign-mails.ts';

const columns = ['id', 'recipient', 'fields', 'language'] as const;

export async function insertMails(
  { dialect }: MailDatabase,
  transaction: MailDatabase['query'],
  mails: readonly CampaignMail[],
  shared: ReturnType<typeof sharedColumns>,
): Promise<void> {
  await insertMany(dialect, columns, mails, shared).execute(transaction);
}
