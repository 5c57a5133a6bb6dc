import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Engine, Queries } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';

export type DocumentRow = TranscriptionTables['transcription_document'];
export type SourceRow = TranscriptionTables['transcription_source'];
export type PageRow = TranscriptionTables['transcription_page'];

/** The parts of the engine that documents need. */
export type DocumentParts = Pick<
  Engine,
  | 'backlog'
  | 'blobs'
  | 'cancellations'
  | 'changes'
  | 'clock'
  | 'coordination'
  | 'database'
  | 'events'
  | 'houses'
  | 'log'
  | 'pipelines'
  | 'settings'
  | 'stages'
>;

/** The output queue of this house's requests. */
export const collectQueue = 'transcription.collect';
export const splitStage = 'split';
export const defaultPipeline = 'transcription';
/** More than the pages of any source, so positions of different sources never overlap. */
export const positionsPerSource = 1_000_000;

export const documentStates = [
  'open',
  'waiting',
  'running',
  'done',
  'partly',
  'failed',
  'cancelled',
] as const;
/** `doubtful` (the recogniser was unsure) and `no-text` pages are done, too. */
export const pageStates = [
  ...(['waiting', 'running', 'done', 'doubtful', 'no-text'] as const),
  ...(['failed', 'cancelled'] as const),
] as const;
/** States in which sources and pages may still return. */
export const activeStates = ['waiting', 'running'];

/** The batch of a document's requests, by which they are cancelled. Resuming starts a new batch. */
export function batchOf({ id, resumed }: Pick<DocumentRow, 'id' | 'resumed'>): string {
  return resumed === 0 ? id : `${id}/${resumed}`;
}

/** The owner of a document's blobs: sources, pages and results. */
export function documentOwner(id: string): string {
  return `document:${id}`;
}

/** The key used by a call, or else the user. A key may have limits of its own. */
export function subjectOf({ name, credential }: Pick<Caller, 'name' | 'credential'>): string {
  return credential?.startsWith('key:') ? credential : `user:${name}`;
}

export async function findDocument(queries: Queries, id: string): Promise<DocumentRow | undefined> {
  return queries
    .selectFrom('transcription_document as document')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function getDocument(queries: Queries, id: string): Promise<DocumentRow> {
  const row = await findDocument(queries, id);
  if (!row)
    throw new PismakError('not-found', `there is no document ${id}; \`pismak document ls\` lists them`);
  return row;
}

/** Makes program output safe to store in a database. */
export function storable(text: string, longest = 100_000): string {
  return text.replaceAll('\0', '').toWellFormed().slice(-longest);
}

export function tellChange(
  { changes }: Pick<DocumentParts, 'changes'>,
  row: Pick<DocumentRow, 'id' | 'owner'>,
  state: string,
) {
  changes.addJoined({ kind: 'document', entity: row.id, owner: row.owner, data: { state } });
}
