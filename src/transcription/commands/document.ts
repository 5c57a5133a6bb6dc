import { PismakError } from '../../engine/ground/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { findFiles } from '../../terminal/files/files-to-publish.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { readPriority } from '../../terminal/options/request-target.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Normalisation } from '../evaluation/symbols.ts';
import type { Format } from '../formats/output-formats.ts';
import {
  documentCancel,
  documentCreate,
  documentDelete,
  documentKeywords,
  documentList,
  documentResume,
  documentRetry,
  documentShow,
} from '../operations/document.ts';
import { documentPage, documentPages } from '../operations/pages.ts';
import { documentText } from '../operations/text.ts';
import { addSources, listSources } from './add-sources.ts';
import { describeProgress, formatConfidence, isUnderWay, whyNothingToRetry } from './document-progress.ts';
import { type DownloadOptions, downloadDocument } from './download-document.ts';
import { addIiif } from './iiif.ts';
import { formatNames, readFormats } from './read-formats.ts';

interface SubmitOptions {
  name?: string;
  lang: string;
  formats: Format[];
  pipeline?: string;
  priority?: number;
  again?: boolean;
  textLayer?: boolean;
  skipText?: boolean;
  webhook?: string;
}

const add: AddGroup = (group, shell) => {
  const { command, run } = shell;
  const generated = operationCommands(group, shell);

  command(
    group,
    'submit <scans...>',
    'Transcribe images, TIFFs, PDFs and ZIPs as one document',
    'document submit scans/ --lang ces+deu --formats txt,page',
  )
    .option('--name <name>', 'name of the document (default: that of the first file or directory)')
    .option(
      '--lang <languages>',
      'languages, by their Tesseract names, e.g. ces+deu; auto: guess them',
      'auto',
    )
    .option('--formats <list>', formatNames, readFormats, ['txt'])
    .option('--pipeline <name>', 'pipeline to use instead of `transcription`')
    .option(
      '--priority <priority>',
      'high (before all normal documents; needs permission) or normal',
      readPriority,
    )
    .option('--again', 'transcribe every page again, instead of reusing earlier results')
    .option('--text-layer', 'use the text layer of PDFs instead of recognising their pages')
    .option('--skip-text', 'same as --text-layer')
    .option('--webhook <url>', 'URL that gets a signed POST when the document is finished')
    .action(
      run<SubmitOptions, [string[]]>(async (session, paths) => {
        const { out, options, stderr } = session;
        const { lang: language, formats, pipeline, again, webhook } = options;
        const textLayer = options.textLayer ?? options.skipText;
        const files = await findFiles(paths, stderr);
        const client = await session.client();
        const name =
          options.name ??
          (paths[0]
            ?.replace(/(?<!\/)\/+$/, '')
            .split('/')
            .at(-1) ||
            'scans');
        const priority = Math.min(options.priority ?? 0, 1);
        const { id } = await client.call(documentCreate, {
          name,
          language,
          formats,
          pipeline,
          priority,
          again,
          textLayer,
          webhook,
        });
        const bar = session.progress('files', files.length);
        const unreadable = await addSources(session, client, id, files, bar);
        bar.close();
        if (out.json) out.object({ id });
        else out.say(id);
        if (client.alone)
          stderr.write('Pismak is not running here; the document waits until you start `pismak up`\n');
        if (unreadable.length > 0) {
          const reasons = unreadable.map(({ name, error }) => `${name}: ${error}`).join('\n');
          throw new PismakError(
            'invalid-input',
            `some files could not be read; all others were submitted:\n${reasons}`,
          );
        }
      }),
    );

  generated(documentList, {
    usage: 'ls',
    examples: ['document ls --state running', 'document ls --has doubtful', 'document ls --sort confidence'],
    columns: [
      { title: 'id', of: (row) => row.id },
      { title: 'name', of: (row) => row.name },
      { title: 'owner', of: (row) => row.owner },
      { title: 'state', of: (row) => row.state },
      { title: 'pages', of: (row) => row.pages.total },
      { title: 'done', of: (row) => row.pages.done },
      { title: 'doubtful', of: (row) => row.pages.doubtful },
      { title: 'no text', of: (row) => row.pages.noText },
      { title: 'failed', of: (row) => row.pages.failed },
      { title: 'confidence', of: (row) => formatConfidence(row.confidence) },
      { title: 'created', of: (row) => formatTime(row.createdAt) },
    ],
  });

  generated(documentPages, {
    usage: 'pages <document>',
    examples: ['document pages ID --state doubtful'],
    columns: [
      { title: 'page', of: (row) => row.number },
      { title: 'name', of: (row) => (row.part === null ? row.name : `${row.name}, page ${row.part}`) },
      { title: 'state', of: (row) => row.state },
      { title: 'words', of: (row) => row.words },
      { title: 'confidence', of: (row) => formatConfidence(row.confidence) },
      { title: 'unread lines', of: (row) => row.unreadLines || null },
      { title: 'language', of: (row) => row.language },
      { title: 'why', of: (row) => row.error },
    ],
    empty: 'no such pages',
  });

  command(
    group,
    'show <document>',
    'Show the progress of a document, and what failed or is doubtful',
    'document show ID',
  ).action(
    run(async ({ client, out }, document = '') => {
      const connected = await client();
      const shown = await connected.call(documentShow, { document });
      const inState = async (state: 'failed' | 'doubtful' | 'no-text') =>
        (await connected.call(documentPages, { document, state, limit: 100 })).pages;
      const pages = await inState('failed');
      const unsure = [...(await inState('doubtful')), ...(await inState('no-text'))].sort(
        (one, other) => one.number - other.number,
      );
      const sources = (await listSources(connected, document)).filter(({ state }) => state === 'failed');
      const failed = [...sources.map(({ name, error }) => ({ number: null, name, error })), ...pages];
      if (out.json) return out.object({ ...shown, failed, unsure });
      out.object(shown, {
        id: shown.id,
        name: shown.name,
        owner: shown.owner,
        state: shown.state,
        sources: listCounts(shown.sources),
        pages: listCounts(shown.pages),
        confidence: formatConfidence(shown.confidence),
        pipeline: shown.pipeline,
        language: shown.language,
        formats: shown.formats.join(', '),
        created: formatTime(shown.createdAt),
        ended: formatTime(shown.endedAt),
      });
      if (unsure.length > 0)
        out.list(unsure, [
          { title: 'page', of: (row) => row.number },
          { title: 'name', of: (row) => row.name },
          { title: 'state', of: (row) => row.state },
          { title: 'words', of: (row) => row.words },
          { title: 'confidence', of: (row) => formatConfidence(row.confidence) },
          { title: 'unread lines', of: (row) => row.unreadLines || null },
        ]);
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
    'Save the results: NAME.txt, NAME.page.xml, ..., or everything in one ZIP; exit code 1 if pages or files are missing',
    'document download ID -o out',
    'document download ID -o . --zip',
    'document download ID -o . --pdf',
    'document download ID -o . --searchable',
  )
    .requiredOption('-o, --output <directory>', 'directory for the results')
    .option('--zip', 'one ZIP with images, results and METS instead of single files')
    .option('--no-images', 'leave the images out of the ZIP')
    .option('--searchable', 'each PDF as you submitted it, with a text layer on pages without text')
    .option('--pdf', 'one PDF/A with the images and text of all pages; the document needs the format pdf')
    .action(
      run<DownloadOptions>(async ({ client, out, options }, document = '') => {
        await downloadDocument(await client(), out, document, options);
      }),
    );

  generated(documentPage, { usage: 'page <document> <page>' });

  generated(documentText, {
    usage: 'text <document> <page>',
    columns: [
      { title: 'line', of: (row) => row.words.map(([text]) => text).join(' ') },
      { title: 'place', of: (row) => row.box.join(',') },
      { title: 'confidence', of: (row) => formatConfidence(row.confidence) },
    ],
    empty: 'the page has no text, or was not read yet',
  });

  generated(documentKeywords, {
    usage: 'keywords [document]',
    examples: ['document ls --keyword Praha'],
    columns: [
      { title: 'word', of: (row) => row.word },
      { title: 'count', of: (row) => row.count },
      { title: 'pages', of: (row) => row.pages },
      { title: 'documents', of: (row) => row.documents },
    ],
    empty: 'no keywords',
  });
  addIiif(group, shell);

  generated(documentCancel, {
    usage: 'cancel <document>',
    say: ({ pages }, { document }) =>
      `document ${document} is cancelled${pages > 0 ? `; ${formatCount(pages, 'page')} will not be transcribed` : ''}`,
  });

  generated(documentResume, {
    usage: 'resume <document>',
    say: ({ pages, sources }, { document }) => {
      const parts = [
        pages > 0 && formatCount(pages, 'page'),
        sources > 0 && formatCount(sources, 'source'),
      ].filter((part) => part !== false);
      return parts.length === 0
        ? `document ${document} is resumed; no work was left`
        : `document ${document} is resumed: ${parts.join(' and ')} sent`;
    },
  });

  command(
    group,
    'retry <document>',
    'Retry the failed pages of a document, or read all of it in another language',
    'document retry ID',
    'document retry ID --lang Fraktur',
  )
    .option('--lang <languages>', 'read all pages again, in these languages')
    .option('--unfinished', 'also retry pages under way, if their messages were purged or lost')
    .action(
      run<{ unfinished?: boolean; lang?: string }>(async ({ client, out, options }, document = '') => {
        const { unfinished, lang: language } = options;
        const connected = await client();
        const sent = await connected.call(documentRetry, { document, unfinished, language });
        const parts = [
          sent.pages > 0 && formatCount(sent.pages, 'page'),
          sent.sources > 0 && formatCount(sent.sources, 'source'),
        ].filter((part) => part !== false);
        if (parts.length > 0) return out.say(`${parts.join(' and ')} sent again`);
        out.say(whyNothingToRetry(await connected.call(documentShow, { document })));
      }),
    );

  command(
    group,
    'delete <document>',
    'Delete a document, finished or not, with its sources, results and texts',
    'document delete ID',
  ).action(
    run(async ({ client, out }, document = '') => {
      const connected = await client();
      const before = await connected.call(documentShow, { document });
      await connected.call(documentDelete, { document });
      const stopped = isUnderWay(before) ? `; it was ${describeProgress(before)}` : '';
      out.say(`document ${document} is deleted${stopped}`);
    }),
  );

  command(
    group,
    'evaluate <document> <truth>',
    'Compare pages of a document with their correct text: <truth> is a directory with NUMBER.txt for pages',
    'document evaluate 019a... truth/ --ignore-case',
  )
    .option('--ignore-case', 'ignore upper and lower case')
    .option('--ignore-diacritics', 'ignore accents')
    .option('--ignore-punctuation', 'ignore punctuation')
    .option('--modern-letters', 'treat long s and ligatures as the letters they stand for')
    .option('--same-marks', 'treat all quotation marks as one, and all dashes and hyphens as one')
    .option('--strict-whitespace', 'also count line breaks and the number of spaces')
    .action(
      run<Normalisation>(async ({ client, out, options }, document = '', truth = '') => {
        const { evaluateDocument } = await import('./evaluate-document.ts');
        await evaluateDocument(await client(), out, { document, truth, normalisation: options });
      }),
    );
};
export default add;

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what === 'noText' ? 'without text' : what}`)
    .join(', ');
}
