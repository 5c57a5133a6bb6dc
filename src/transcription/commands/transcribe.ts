import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { PismakError } from '../../engine/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { reachableHolder } from '../../terminal/client/reachable-holder.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { findFiles } from '../../terminal/files/files-to-publish.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import type { Session } from '../../terminal/session.ts';
import { formatNames, readFormats } from './read-formats.ts';
import { type TranscribeOptions, transcribe } from './transcribe-scans.ts';

const add: AddGroup = (group, { run }) => {
  group
    .argument('<scans...>', 'images, TIFFs, PDFs and ZIPs, or directories of them')
    .requiredOption('-o, --output <directory>', 'where the results go: NAME.txt, NAME.page.xml, ...')
    .option('--lang <languages>', 'as Tesseract names them, e.g. ces+deu', 'ces')
    .option('--formats <list>', formatNames, readFormats, ['txt'])
    .option('--pipeline <name>', 'stages to go through instead of those of `transcription`')
    .option('--text-layer', 'take the text that a PDF brings along instead of reading it')
    .option('--again', 'read everything anew, also what was read before')
    .addHelpText(
      'after',
      '\nWorks by itself, with its state in OUTPUT/.pismak, or through the process that has the data directory (--data),\n' +
        'or on another machine (--url). Stopped with Ctrl-C and started again, it goes on where it was; what is done is\n' +
        'not done again. Exit code 1: some pages could not be read, and it says which and why.\n\n' +
        'Examples:\n  $ pismak transcribe scans/ -o out\n' +
        '  $ pismak transcribe book.pdf -o out --lang ces+deu --formats txt,page,alto,pdf',
    )
    .action(
      run<TranscribeOptions, [string[]]>(async (session, paths) => {
        const { output } = session.options;
        refuseAmongScans(output, paths);
        const files = await findFiles(paths, session.stderr);
        // Made here, as the data directory in it is for its user's eyes only, and this one need not be.
        await openOutputDirectory(output);
        const { client, close } = await openWork(session);
        try {
          await transcribe(session, client, { files, name: nameOf(paths) });
        } catch (error) {
          if (session.signal.aborted) session.stderr.write('stopped; the same command goes on from here\n');
          throw error;
        } finally {
          await close();
        }
      }),
    );
};
export default add;

/** What to call the document: like the first file or directory. */
function nameOf(paths: readonly string[]): string {
  return basename(resolve(paths[0] ?? '.')) || 'scans';
}

/** Results beside the scans would be taken for scans by the next run. */
function refuseAmongScans(output: string, paths: readonly string[]): void {
  if (!paths.some((path) => resolve(path) === resolve(output))) return;
  const advice = `choose another directory, e.g. -o ${join(output, 'out')}`;
  throw new PismakError('invalid-input', `the results can't go where the scans are (${output}): ${advice}`);
}

/** Where the work is done: by whoever has the data directory, on another machine, or here. */
async function openWork(
  session: Session<TranscribeOptions>,
): Promise<{ client: Client; close(): Promise<void> }> {
  const { clock, signal, stderr, options } = session;
  const elsewhere = async () => ({ client: await session.client(), close: async () => {} });
  if (session.remote) return elsewhere();
  const loaded = await session.settings();
  const own = loaded.origins.get('data') === 'default';
  const data = own ? join(options.output, '.pismak') : loaded.settings.data;
  if (!own && existsSync(data) && (await reachableHolder(data, clock, signal))) return elsewhere();
  const { hasNativeTesseract } = await import('../recognise/installed.ts');
  if (!(await hasNativeTesseract()))
    stderr.write(
      'Tesseract is not installed, so tesseract.js reads; with it (apt install tesseract-ocr tesseract-ocr-ces) it would be\n' +
        'two to three times as fast\n',
    );
  const settings = { ...loaded.settings, data };
  const workers = availableParallelism();
  const client = await session.openWork({ settings, purpose: 'pismak transcribe', workers });
  return { client, close: () => client.close() };
}
