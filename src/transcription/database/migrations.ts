import type { MigrationLine } from '../../engine/database/database.ts';
import { documents } from './0001-documents.ts';
import { cheapReads } from './0060-cheap-reads.ts';

/** The migrations of this house. */
export const migrations: MigrationLine = { name: 'transcription', migrations: [documents, cheapReads] };
