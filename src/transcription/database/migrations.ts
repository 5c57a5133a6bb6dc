import type { MigrationLine } from '../../engine/database/database.ts';
import { documents } from './0001-documents.ts';
import { ownerState } from './0030-owner-state.ts';
import { cheapReads } from './0060-cheap-reads.ts';
import { readings } from './0090-readings.ts';
import { unreadInk } from './0120-unread-ink.ts';
import { lists } from './0150-lists.ts';

/** The migrations of this house. */
export const migrations: MigrationLine = {
  name: 'transcription',
  migrations: [documents, ownerState, cheapReads, readings, unreadInk, lists],
};
