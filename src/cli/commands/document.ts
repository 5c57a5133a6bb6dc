import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PismakError } from '../../engine/errors.ts';
import { safeFileName } from '../../engine/results/safe-file-name.ts';
import type { Format } from '../../transcription/index.ts';
import { addSources, listSources } from '../add-sources.ts';
import { findFiles } from '../files-to-publish.ts';
import { formatCount, formatTime } from '../format.ts';
import { commaList, wholeNumber } from '../option-values.ts';
import type { AddGroup } from '../program.ts';
import { readPriority } from '../request-target.ts';
import { saveFile } from '../save-file.ts';
import { ResultSaver } from '../save-results.ts';
import { createResultNames } from '../source-names.ts';

interface Document {
  id: string;
  name: string;
  owner: string;
  state: string;
  language: string;
  formats: Format[];
  pipeline: string;
  pages: { total: number; waiting: number; running: number; done: number; failed: number; cancelled: number };
  createdAt: number;
  endedAt: number | null;
}

interface SubmitOptions {
  name?: string;
  lang: string;
  formats: Format[];
  pipeline?: string;
  priority?: number;
  again?: boolean;
  textLayer?: boolean;
  webhook?: string;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'submit <scans...>',
    'Have images, TIFFs, PDFs and ZIPs read, as one document',
    'document submit scans/ --lang ces+deu --formats txt,page',
  )
    .option('--name <name>', 'what to call it (default: the name of the first file or directory)')
    .option('--lang <languages>', 'as Tesseract names them, e.g. ces+deu', 'ces')
    .option('--formats <list>', 'txt, page, alto, hocr, pdf, json', commaList, ['txt'])
    .option('--pipeline <name>', 'stages to go through instead of those of `transcription`')
    .option('--priority <priority>', 'high (before everything normal) or normal', readPriority)
    .option('--again', 'read everything anew, also what was read before')
    .option('--text-layer', 'take the text that a PDF brings along instead of reading it')
    .option('--webhook <url>', 'posted to, signed, when the document is finished')
    .action(
      run<SubmitOptions, [string[]]>(async (session, paths) => {
        const { out, options, stderr } = session;
        const { lang: language, formats, pipeline, again, textLayer, webhook } = options;
        const files = await findFiles(paths, stderr);
        const client = await session.client();
        const name = options.name ?? (paths[0]?.replace(/\/+$/, '').split('/').at(-1) || 'scans');
        const { priority = 0 } = options;
        const { id } = await client.call<Document>('document.create', {
          ...{ name, language, formats, pipeline, priority, again, textLayer, webhook },
        });
        const bar = session.progress('files', files.length);
        const unreadable = await addSources(session, client, id, files, bar);
        bar.close();
        if (out.json) out.object({ id });
        else out.say(id);
        if (client.alone) stderr.write('nothing runs here: it waits until `pismak up` does\n');
        if (unreadable.length > 0) {
          const reasons = unreadable.map(({ name, error }) => `${name}: ${error}`).join('\n');
          throw new PismakError('invalid-input', `left out, while the rest was submitted:\n${reasons}`);
        }
      }),
    );

  command(group, 'ls', 'List documents, the newest first', 'document ls', 'document ls --state running')
    .option('--state <state>', 'open, waiting, running, done, partly, failed or cancelled')
    .option('--limit <number>', 'how many at most', wholeNumber, 100)
    .action(
      run<{ state?: string; limit: number }>(async ({ client, out, options }) => {
        const { state, limit } = options;
        const { documents } = await (await client()).call<{ documents: Document[] }>('document.ls', {
          ...{ state, limit },
        });
        out.list(documents, [
          { title: 'id', of: (row) => row.id },
          { title: 'name', of: (row) => row.name },
          { title: 'owner', of: (row) => row.owner },
          { title: 'state', of: (row) => row.state },
          { title: 'pages', of: (row) => row.pages.total },
          { title: 'done', of: (row) => row.pages.done },
          { title: 'failed', of: (row) => row.pages.failed },
          { title: 'created', of: (row) => formatTime(row.createdAt) },
        ]);
      }),
    );

  command(group, 'show <document>', 'Show how far a document is, and what failed', 'document show ID').action(
    run(async ({ client, out }, document) => {
      const connected = await client();
      const shown = await connected.call<Document>('document.show', { document });
      const { pages } = await connected.call<{ pages: Failed[] }>('document.pages', {
        ...{ document, state: 'failed', limit: 100 },
      });
      const sources = (await listSources(connected, document ?? '')).filter(
        ({ state }) => state === 'failed',
      );
      const failed = [...sources.map(({ name, error }) => ({ number: null, name, error })), ...pages];
      if (out.json) return out.object({ ...shown, failed });
      out.object(shown, {
        ...{ id: shown.id, name: shown.name, owner: shown.owner, state: shown.state },
        pages: Object.entries(shown.pages)
          .map(([what, count]) => `${count} ${what}`)
          .join(', '),
        ...{ pipeline: shown.pipeline, language: shown.language, formats: shown.formats.join(', ') },
        ...{ created: formatTime(shown.createdAt), ended: formatTime(shown.endedAt) },
      });
      if (failed.length === 0) return;
      out.list(failed, [
        { title: 'page', of: (row) => row.number },
        { title: 'name', of: (row) => row.name },
        { title: 'why', of: (row) => row.error },
      ]);
    }),
  );

  command(
    group,
    'download <document>',
    'Save the results: NAME.txt, NAME.page.xml, ..., or everything in one ZIP',
    'document download ID -o out',
    'document download ID -o . --zip',
  )
    .requiredOption('-o, --output <directory>', 'where to')
    .option('--zip', 'one ZIP with METS instead of single files')
    .action(
      run<{ output: string; zip?: boolean }>(async ({ client, out, options }, document = '') => {
        const connected = await client();
        const { name, formats } = await connected.call<Document>('document.show', { document });
        await mkdir(options.output, { recursive: true });
        if (options.zip) {
          const path = join(options.output, safeFileName(`${name}.zip`));
          await saveFile(path, connected.stream('document.archive', { document }));
          return out.say(`saved ${path}`);
        }
        const saver = new ResultSaver(connected, { document, directory: options.output, formats });
        await saver.save(createResultNames(await listSources(connected, document)), true);
        out.say(`${formatCount(saver.pages, 'page')} in ${options.output}`);
      }),
    );

  command(group, 'cancel <document>', 'Stop a document; what is done stays', 'document cancel ID').action(
    run(async ({ client, out }, document) => {
      const { pages } = await (await client()).call<{ pages: number }>('document.cancel', { document });
      out.say(`document ${document} is cancelled; ${formatCount(pages, 'page')} will not be read`);
    }),
  );

  command(
    group,
    'retry <document>',
    'Have the failed pages of a document read again',
    'document retry ID',
  ).action(
    run(async ({ client, out }, document) => {
      const sent = await (await client()).call<{ pages: number; sources: number }>('document.retry', {
        document,
      });
      out.say(`${formatCount(sent.pages, 'page')} and ${formatCount(sent.sources, 'source')} sent again`);
    }),
  );

  command(
    group,
    'delete <document>',
    'Delete a document with its sources, results and texts',
    'document delete ID',
  ).action(
    run(async ({ client, out }, document) => {
      await (await client()).call('document.delete', { document });
      out.say(`document ${document} is deleted`);
    }),
  );
};
export default add;

interface Failed {
  number: number | null;
  name: string;
  error: string | null;
}
