import type { MigrationLine } from '../../engine/database/database.ts';
import { documents } from './0001-documents.ts';

/** The migrations of this house. */
export const migrations: MigrationLine = { name: 'transcription', migrations: [documents] };
