import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Lets a user's waiting pages be counted without reading finished documents. */
export const ownerState: Migration = {
  name: '0030-owner-state',
  async up(transaction) {
    await sql
      .raw(`CREATE INDEX "transcription_document_owner_state" ON "transcription_document" ("owner", "state")`)
      .execute(transaction);
  },
};
