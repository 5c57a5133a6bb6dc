import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../engine/files/read-json.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { sleep } from '../../engine/time/clock.ts';
import type { Client } from '../../terminal/client/client.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import { formatCount } from '../../terminal/output/format.ts';
import { startProgress } from '../../terminal/output/progress.ts';
import type { Session } from '../../terminal/session.ts';
import type { Format } from '../formats/output-formats.ts';
import { documentCreate, documentResume, documentRetry, documentShow } from '../operations/document.ts';
import { documentPages } from '../operations/pages.ts';
import { addSources, listSources } from './add-sources.ts';
import { finished } from './document-progress.ts';
import { saveSearchable, saveWholePdf } from './download-document.ts';
import { ResultSaver } from './save-results.ts';
import { createResultNames } from './source-names.ts';

export interface TranscribeOptions {
  output: string;
  lang: string;
  formats: Format[];
  pipeline?: string;
  again?: boolean;
  textLayer?: boolean;
  skipText?: boolean;
  pdf?: boolean;
  searchable?: boolean;
}

interface Failure {
  name: string;
  part: number | null;
  error: string | null;
}

const pollMs = 500;
const ended = new Set(['done', 'partly', 'failed', 'cancelled']);

/** Transcribes all files and saves results as they come. After an interruption it continues where it stopped. */
export async function transcribe(
  session: Session<TranscribeOptions>,
  client: Client,
  { files, name }: { files: readonly string[]; name: string },
): Promise<void> {
  const { out, options, clock, signal } = session;
  const { id: document, before } = await findOrCreate(client, options, name);
  if (before === 'cancelled') await client.call(documentResume, { document });
  else if (before !== undefined) await client.call(documentRetry, { document });
  const adding = session.progress('files', files.length);
  const unreadable = await addSources({ clock, signal }, client, document, files, adding);
  adding.close();

  const nameOf = createResultNames(newestByName(await listSources(client, document)));
  const saver = new ResultSaver(client, { document, directory: options.output, formats: options.formats });
  await follow(session, client, document, () => saver.save(nameOf));
  await saver.save(nameOf, true);
  let refused: unknown;
  // List unreadable files before failing.
  const whole = await saveWhole(client, document, options, saver.pages).catch((error: unknown) => {
    if (signal.aborted) throw error;
    refused = error;
    return [];
  });

  const failures: Failure[] = [
    ...unreadable.map((file) => ({ ...file, part: null })),
    ...(await failuresOf(client, document)),
  ];
  const summary = { document, output: options.output, done: saver.pages, failed: failures.length };
  const { pages, confidence } = await client.call(documentShow, { document });
  const { doubtful, noText } = pages;
  if (out.json)
    out.object({ ...summary, ...(whole.length > 0 && { whole }), doubtful, noText, confidence, failures });
  else {
    const unsure = [doubtful > 0 && `${doubtful} doubtful`, noText > 0 && `${noText} without text`];
    const notes = unsure.filter((note) => note !== false).map((note) => `, ${note}`);
    out.say(`${formatCount(saver.pages, 'page')} in ${options.output}${notes.join('')}`);
    if (whole.length > 0) out.say(`saved ${whole.join(', ')}`);
    if (failures.length > 0) {
      out.list(failures, [
        { title: 'failed', of: ({ name, part }) => (part === null ? name : `${name}, page ${part}`) },
        { title: 'why', of: ({ error }) => error },
      ]);
    }
  }
  if (refused !== undefined) throw refused;
  if (failures.length > 0)
    throw new PismakError('processor-failed', `${formatCount(failures.length, 'page')} could not be read`);
}

/** Saves the requested files of the whole document; resolves to their paths. */
async function saveWhole(
  client: Client,
  document: string,
  { output, pdf, searchable }: TranscribeOptions,
  pages: number,
): Promise<string[]> {
  if (pages === 0) return [];
  const saved: string[] = [];
  if (pdf) saved.push(await saveWholePdf(client, await client.call(documentShow, { document }), output));
  if (searchable) saved.push(...(await saveSearchable(client, document, output)));
  return saved;
}

const state = z.object({ document: z.string(), wanted: z.string() });

/** The document of an earlier run with the same output directory and options, with its state, or a new one. */
async function findOrCreate(
  client: Client,
  options: TranscribeOptions,
  name: string,
): Promise<{ id: string; before?: string }> {
  const { output, lang, pipeline, again } = options;
  const textLayer = options.textLayer ?? options.skipText;
  // The PDF of the whole document is made from those of its pages.
  const formats = [...new Set([...options.formats, ...(options.pdf ? (['pdf'] as const) : [])])];
  const file = join(output, '.transcription.json');
  const wanted = JSON.stringify([lang, formats.toSorted(), pipeline ?? null, textLayer ?? null]);
  const before = state.safeParse(await readJson(file));
  if (before.success && before.data.wanted === wanted && !again) {
    const document = await client
      .call(documentShow, { document: before.data.document })
      .catch((error: unknown) => {
        if (hasCode(error, 'not-found')) return undefined;
        throw error;
      });
    if (document) return { id: document.id, before: document.state };
  }
  const { id } = await client.call(documentCreate, {
    name,
    language: lang,
    formats,
    pipeline,
    textLayer,
    again: again ?? false,
  });
  const content = Buffer.from(`${JSON.stringify({ document: id, wanted })}\n`);
  await saveFile(
    file,
    (async function* () {
      yield content;
    })(),
  );
  return { id };
}

/** Shows progress until the document is finished. */
async function follow(
  { clock, signal, stderr }: Session<TranscribeOptions>,
  client: Client,
  document: string,
  save: () => Promise<void>,
): Promise<void> {
  const look = () => client.call(documentShow, { document });
  let now = await look();
  const already = finished(now.pages) + now.pages.failed;
  const bar = startProgress({ stderr, clock, what: 'pages', total: now.pages.total, already, per: 'min' });
  try {
    for (;;) {
      const { pages, sources } = now;
      // A source that is not split yet has at least one page.
      const unopened = sources.total - sources.split - sources.failed;
      bar.set(finished(pages) + pages.failed, pages.total + unopened);
      await save();
      if (ended.has(now.state)) return;
      await sleep(clock, pollMs, signal);
      signal.throwIfAborted();
      now = await look();
    }
  } finally {
    bar.close();
  }
}

async function failuresOf(client: Client, document: string): Promise<Failure[]> {
  const sources = (await listSources(client, document)).filter((source) => source.state === 'failed');
  const failures: Failure[] = sources.map(({ name, error }) => ({ name, part: null, error }));
  for (let offset = 0; ; offset += 1000) {
    const part = { document, state: 'failed', offset, limit: 1000 } as const;
    const { pages } = await client.call(documentPages, part);
    failures.push(...pages.map(({ name, part, error }) => ({ name, part, error })));
    if (pages.length < 1000) return failures;
  }
}

/** If a file changed between runs, use its newest version. */
function newestByName<Named extends { name: string }>(sources: readonly Named[]): Named[] {
  return [...new Map(sources.map((source) => [source.name, source])).values()];
}
