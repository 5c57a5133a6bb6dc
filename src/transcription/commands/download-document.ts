import { join } from 'node:path';
import { PismakError } from '../../engine/errors.ts';
import { safeFileName } from '../../engine/results/safe-file-name.ts';
import type { Client } from '../../terminal/client/client.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Format } from '../order.ts';
import { listSources } from './add-sources.ts';
import { type DocumentProgress, describeProgress, isUnderWay } from './document-progress.ts';
import { ResultSaver } from './save-results.ts';
import { createResultNames } from './source-names.ts';

export interface DownloadOptions {
  output: string;
  zip?: boolean;
  images: boolean;
}

/** Saves what there is; fails when that is not everything yet, so that nobody takes a part for the whole. */
export async function downloadDocument(
  client: Client,
  out: Output,
  document: string,
  { output, zip = false, images }: DownloadOptions,
): Promise<void> {
  const shown = await client.call<DocumentProgress & { name: string; formats: Format[] }>('document.show', {
    document,
  });
  if (shown.state === 'open')
    throw new PismakError('conflict', `document ${document} was not submitted yet: there are no results`);
  const unfinished = `document ${document} is not finished (${describeProgress(shown)})`;
  if (zip && isUnderWay(shown))
    throw new PismakError('conflict', `${unfinished}: a ZIP is of a whole document; wait, or cancel it`);
  await openOutputDirectory(output);
  if (zip) {
    const path = join(output, safeFileName(`${shown.name}.zip`));
    await saveFile(path, client.stream('document.archive', { document, ...(!images && { images }) }));
    return out.say(`saved ${path}${failedNote(shown)}`);
  }
  const saver = new ResultSaver(client, { document, directory: output, formats: shown.formats });
  await saver.save(createResultNames(await listSources(client, document)), true);
  const saved = `${formatCount(saver.pages, 'page')} in ${output}`;
  if (isUnderWay(shown))
    throw new PismakError('conflict', `${unfinished}: ${saved}; the same command gets the rest later`);
  out.say(`${saved}${failedNote(shown)}`);
}

function failedNote(document: DocumentProgress): string {
  const { id, pages, sources } = document;
  if (pages.failed + sources.failed === 0) return '';
  return `, but not all: ${describeProgress(document)}; \`pismak document show ${id}\` says why`;
}
