import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { PismakError } from '../../engine/ground/errors.ts';
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
    .option(
      '--lang <languages>',
      'languages, by their Tesseract names, e.g. ces+deu; auto: guess them',
      'auto',
    )
    .option('--formats <list>', formatNames, readFormats, ['txt'])
    .option('--pipeline <name>', 'pipeline to use instead of `transcription`')
    .option('--pdf', 'also one PDF/A with the images and text of all pages')
    .option('--searchable', 'also each PDF as it is, with a text layer on pages without text')
    .option('--text-layer', 'use the text layer of PDFs instead of recognising their pages')
    .option('--skip-text', 'same as --text-layer')
    .option('--again', 'transcribe every page again, instead of reusing earlier results')
    .addHelpText(
      'after',
      '\nRuns on its own with state in OUTPUT/.pismak, or through the process that owns the data directory (--data), or on\n' +
        'another machine (--url). After Ctrl-C, run the same command again to continue; finished pages are kept.\n' +
        'Exit code 1 means that some pages could not be read; the output lists them with the reason.\n\n' +
        'Examples:\n  $ pismak transcribe scans/ -o out\n' +
        '  $ pismak transcribe book.pdf -o out --lang ces+deu --formats txt,page,alto,pdf\n' +
        '  $ pismak transcribe book.pdf -o out --searchable --skip-text',
    )
    .action(
      run<TranscribeOptions, [string[]]>(async (session, paths) => {
        const { output } = session.options;
        refuseAmongScans(output, paths);
        const files = await findFiles(paths, session.stderr);
        // Create it here: the data directory inside is created private, which this one need not be.
        await openOutputDirectory(output);
        const { client, close } = await openWork(session);
        try {
          await transcribe(session, client, { files, name: nameOf(paths) });
        } catch (error) {
          if (session.signal.aborted)
            session.stderr.write('stopped; run the same command again to continue\n');
          throw error;
        } finally {
          await close();
        }
      }),
    );
};
export default add;

/** Names the document after the first file or directory. */
function nameOf(paths: readonly string[]): string {
  return basename(resolve(paths[0] ?? '.')) || 'scans';
}

/** Otherwise the next run would read results as scans. */
function refuseAmongScans(output: string, paths: readonly string[]): void {
  if (!paths.some((path) => resolve(path) === resolve(output))) return;
  const advice = `choose another directory, e.g. -o ${join(output, 'out')}`;
  throw new PismakError('invalid-input', `the results can't go where the scans are (${output}): ${advice}`);
}

/** Connects to the machine or process that does the work: another machine, the owner of the data directory, or this process. */
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
  const { hasNativeTesseract, withoutTesseract } = await import('../recognise/installed.ts');
  if (!(await hasNativeTesseract())) stderr.write(withoutTesseract());
  const settings = { ...loaded.settings, data };
  const workers = availableParallelism();
  const client = await session.openWork({ settings, purpose: 'pismak transcribe', workers });
  return { client, close: () => client.close() };
}
