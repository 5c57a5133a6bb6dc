import type { MigrationLine } from '../../engine/database/database.ts';
import { documents } from './0001-documents.ts';

/** This house's line of migrations. */
export const migrations: MigrationLine = { name: 'transcription', migrations: [documents] };
