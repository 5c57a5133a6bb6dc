import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** How much of a page looks like text but was not read. */
export const unreadInk: Migration = {
  name: '0120-unread-ink',
  async up(transaction) {
    await sql.raw('ALTER TABLE "transcription_page" ADD COLUMN "unreadLines" BIGINT').execute(transaction);
  },
};
