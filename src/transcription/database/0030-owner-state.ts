import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** The waiting pages of a user are counted without reading the user's finished documents. */
export const ownerState: Migration = {
  name: '0030-owner-state',
  async up(transaction) {
    await sql
      .raw(`CREATE INDEX "transcription_document_owner_state" ON "transcription_document" ("owner", "state")`)
      .execute(transaction);
  },
};
