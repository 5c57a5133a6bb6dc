import { PismakError } from '../../engine/errors.ts';
import { checkLanguages } from './check-language.ts';
import { getDocument, type Parts } from './document.ts';
import { retryDocument } from './submit-document.ts';

/** Reads all pages of a finished document again, in another language. */
export async function rereadDocument(
  parts: Parts,
  id: string,
  wanted: string,
): Promise<{ pages: number; sources: number }> {
  const { database } = parts;
  const { pipeline, state } = await getDocument(database.query, id);
  if (!['done', 'partly', 'failed'].includes(state)) {
    const advice = state === 'cancelled' ? 'resume it first' : 'wait until it is finished, or cancel it';
    throw new PismakError('conflict', `document ${id} is ${state}; ${advice}`);
  }
  const language = await checkLanguages(parts, pipeline, wanted);
  await database.query.updateTable('transcription_document').set({ language }).where('id', '=', id).execute();
  return retryDocument(parts, id, { all: true });
}
