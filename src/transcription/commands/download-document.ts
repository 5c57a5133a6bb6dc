import { join } from 'node:path';
import { createDistinctNames, safeFileName } from '../../engine/files/safe-names.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import { documentShow } from '../operations/document.ts';
import { documentArchive, documentPdf } from '../operations/streams.ts';
import { listSources } from './add-sources.ts';
import { type DocumentProgress, describeProgress, isUnderWay } from './document-progress.ts';
import { knownFormat } from './read-formats.ts';
import { ResultSaver } from './save-results.ts';
import { createResultNames } from './source-names.ts';

export interface DownloadOptions {
  output: string;
  zip?: boolean;
  pdf?: boolean;
  searchable?: boolean;
  images: boolean;
}

/** Saves the finished pages. Fails if any are missing, so that a partial download is not mistaken for a complete one. */
export async function downloadDocument(
  client: Client,
  out: Output,
  document: string,
  { output, zip = false, pdf = false, searchable = false, images }: DownloadOptions,
): Promise<void> {
  const shown = await client.call(documentShow, { document });
  if (shown.state === 'open')
    throw new PismakError(
      'conflict',
      `document ${document} has not been submitted yet, so it has no results`,
    );
  const unfinished = `document ${document} is not finished (${describeProgress(shown)})`;
  if ((zip || pdf || searchable) && isUnderWay(shown))
    throw new PismakError(
      'conflict',
      `${unfinished}: a ${zip ? 'ZIP' : 'PDF'} needs the whole document; wait, or cancel it`,
    );
  await openOutputDirectory(output);
  if (zip) {
    const path = join(output, safeFileName(`${shown.name}.zip`));
    await saveFile(path, client.stream(documentArchive, { document, ...(!images && { images }) }));
    out.say(`saved ${path}`);
    return refusePartial(shown);
  }
  if (pdf) {
    out.say(`saved ${await saveWholePdf(client, shown, output)}`);
    return refusePartial(shown);
  }
  if (searchable) {
    const saved = await saveSearchable(client, document, output);
    if (saved.length === 0)
      throw new PismakError('invalid-input', `document ${document} was not made from PDFs`);
    out.say(`saved ${saved.join(', ')}`);
    return refusePartial(shown);
  }
  const formats = shown.formats.map(knownFormat);
  const saver = new ResultSaver(client, { document, directory: output, formats });
  await saver.save(createResultNames(await listSources(client, document)), true);
  const saved = `${formatCount(saver.pages, 'page')} in ${output}`;
  if (isUnderWay(shown))
    throw new PismakError('conflict', `${unfinished}: ${saved}; run the same command later to get the rest`);
  out.say(saved);
  refusePartial(shown);
}

/** One PDF of all pages; resolves to its path. */
export async function saveWholePdf(
  client: Client,
  { id: document, name }: { id: string; name: string },
  output: string,
): Promise<string> {
  // A submitted PDF may be saved under its own name beside this one.
  const stem = /\.pdf$/i.test(name) ? `${name.slice(0, -4)}-whole` : name;
  const path = join(output, safeFileName(`${stem}.pdf`));
  await saveFile(path, client.stream(documentPdf, { document }));
  return path;
}

/** Saves each submitted PDF with text added; resolves to the paths. If one can't be extended, the others are still saved. */
export async function saveSearchable(client: Client, document: string, output: string): Promise<string[]> {
  const distinct = createDistinctNames();
  const paths: string[] = [];
  const refusals: string[] = [];
  for (const { id: source, name, state } of await listSources(client, document)) {
    if (state !== 'done' || !name.toLowerCase().endsWith('.pdf')) continue;
    const path = join(output, distinct(safeFileName(name)));
    try {
      await saveFile(path, client.stream(documentPdf, { document, source }));
      paths.push(path);
    } catch (error) {
      if (!hasCode(error, 'conflict')) throw error;
      refusals.push(`${name}: ${error.message}`);
    }
  }
  if (refusals.length > 0) throw new PismakError('conflict', refusals.join('; '));
  return paths;
}

/** What could be saved is saved: this is for the exit code. */
function refusePartial(document: DocumentProgress): void {
  const { id, state, pages, sources } = document;
  if (state !== 'cancelled' && pages.failed + sources.failed === 0) return;
  const next =
    state === 'cancelled' ? `document resume ${id}\` continues it` : `document show ${id}\` says why`;
  throw new PismakError(
    'conflict',
    `document ${id} is not complete: ${describeProgress(document)}; \`pismak ${next}`,
  );
}
