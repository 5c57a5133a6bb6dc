import type { TestContext } from 'node:test';
import type { Caller } from '../../engine/ground/caller.ts';
import { type OpenedEngine, openEngine } from '../../engine/open-engine.ts';
import { executeOperation } from '../../engine/operation/execute-operation.ts';
import { engineOperations } from '../../engine/operation/operations/index.ts';
import { PermanentFailure, type ProcessorRegistration } from '../../engine/processor/processor.ts';
import { runServices } from '../../engine/run-services.ts';
import { defineSettings } from '../../engine/settings/setting.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Engine } from '../database/database.ts';
import { collectQueue } from '../documents/document.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { transcription } from '../house.ts';
import { transcriptionOperations } from '../operations/index.ts';
import { files } from '../page/files.ts';
import type { Page } from '../page/page.ts';
import { parts, runTranscription } from '../parts.ts';
import { splitFiles } from '../split/pages.ts';

export const anna: Caller = { name: 'anna', role: 'user', address: 'here', credential: 'key:anna-1' };
export const bert: Caller = { name: 'bert', role: 'user', address: 'here', credential: 'key:bert-1' };
export const admin: Caller = { name: 'root', role: 'admin', address: 'here' };

/**
 * Sources are text here, with pages separated by form feeds. `bad` can't be opened, `unreadable` can't be read, `huge` has a
 * result of 17 MB, what begins with `long` comes in parts of two pages, and a page that begins with `endless` is read for ever.
 * A page that begins with `pictured` has views, and the words of one that begins with `about` are its keywords.
 * Words of a page that begins with `unsure` have a confidence of 0.72, those of one with `scrawl` 0.3; `blank` has none; of one with `gaps`, five lines are unread.
 */
export const testProcessors: ProcessorRegistration[] = [
  {
    name: 'test.split',
    summary: 'Pages are separated by form feeds',
    inline: async (setup) => async (job) => {
      const text = Buffer.from(await job.files.read(files.source)).toString();
      if (text === 'bad') throw new PermanentFailure('this is not an image');
      const parts = text.split('\f');
      const { name, split } = JSON.parse(Buffer.from(await job.files.read(files.order)).toString());
      const pages = parts.map((part, index) =>
        part === 'bad page'
          ? { name, part: index + 1, error: 'the page is torn' }
          : {
              name,
              ...(parts.length > 1 && { part: index + 1 }),
              file: splitFiles.image(index + 1),
              ...(part.startsWith('pictured') && {
                thumbnail: splitFiles.view(index + 1, 'thumbnail'),
                view: splitFiles.view(index + 1, 'view'),
              }),
            },
      );
      for (const [index, part] of parts.entries())
        if (part.startsWith('pictured'))
          for (const view of ['thumbnail', 'view'] as const)
            job.files.write(splitFiles.view(index + 1, view), Buffer.from(`${view} of ${part}`));
      for (const [index, part] of parts.entries())
        if (part !== 'bad page') job.files.write(splitFiles.image(index + 1), Buffer.from(part));
      const { pages: after = 0 } = split ?? {};
      if (parts[after] === 'stuck' && setup.config === '') throw new PermanentFailure('it is stuck');
      const end = text.startsWith('long') ? after + 2 : parts.length;
      const next = end < parts.length ? { next: { pages: end, seconds: 1, overruns: 0 } } : {};
      const list = { pages: pages.slice(after, end), after, ...next };
      job.files.write(splitFiles.list, Buffer.from(JSON.stringify(list)));
    },
  },
  {
    name: 'test.read',
    summary: 'Takes the source as the text',
    inline: async (setup) => async (job) => {
      const text = Buffer.from(await job.files.read(files.source)).toString();
      if (text.startsWith('endless') && setup.config === '') await new Promise(() => {});
      if (text === 'unreadable' && setup.config === '') throw new PermanentFailure('nothing can be read');
      job.files.write(files.image, Buffer.alloc(100_000, text));
      if (text === 'huge') return void job.files.write(files.page, Buffer.alloc(17 * 1024 * 1024, ' '));
      job.files.write(files.page, Buffer.from(JSON.stringify(pageOf(text))));
      if (text.startsWith('about')) {
        const keywords = text
          .split(' ')
          .slice(1)
          .map((word) => ({ word, count: 1 }));
        job.files.write(files.keywords, Buffer.from(JSON.stringify({ keywords })));
      }
      job.files.write(resultFiles.txt, Buffer.from(`${text}\n`));
      job.log('read');
    },
  },
];

/** A page with one line, each word 100 wide. */
export function pageOf(text: string): Page {
  const box = { left: 0, top: 0, width: 1000, height: 50 };
  const hasGaps = text.startsWith('gaps');
  const confidence = text.startsWith('unsure')
    ? 0.72
    : text.startsWith('scrawl')
      ? 0.3
      : hasGaps
        ? 0.9
        : undefined;
  const words = (text === 'blank' ? [] : text.split(/\s+/)).map((word, index) => ({
    text: word,
    box: { left: index * 100, top: 0, width: 90, height: 50 },
    ...(confidence !== undefined && { confidence }),
  }));
  const lines = [{ box, words }];
  const unread = hasGaps && { unread: { lines: 5, boxes: [] } };
  return {
    width: 1000,
    height: 1400,
    ...unread,
    regions: [{ kind: 'text', box, paragraphs: [{ box, lines }] }],
  };
}

export interface RunningTranscription {
  engine: Engine & Pick<OpenedEngine, 'houses'>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  call(name: string, input?: object, by?: Caller): Promise<any>;
  /** Makes and submits a document of sources by name; resolves to its id. */
  submit(sources: Record<string, string>, more?: object, by?: Caller): Promise<string>;
  /** Waits until the document is in this state. */
  reaches(document: string, state: string): Promise<void>;
}

/** Runs the house on a real engine with the test's own stages. Without workers, nothing is processed. */
export async function runHouse(
  test: Pick<TestContext, 'after'>,
  options: { settings?: object; workers?: number; clock?: Clock; collects?: boolean } = {},
): Promise<RunningTranscription> {
  const closing: (() => Promise<unknown>)[] = [];
  // Before the directory is removed.
  test.after(async () => {
    for (const close of closing.reverse()) await close();
  });
  const data = await temporaryDirectory(test);
  const settings: Settings = defineSettings([transcription]).schema.parse({
    data,
    log: { level: 'error' },
    watchdog: { periodMs: 100, reconfigurationMs: 0 },
    ...options.settings,
  });
  const engine = await openEngine(settings, {
    purpose: 'test',
    processors: testProcessors,
    console: console.error,
    houses: [{ name: transcription.name, ...parts, processors: [] }],
    ...(options.clock && { clock: options.clock }),
  });
  closing.push(() => engine.close());
  await engine.stages.create(
    { name: 'split', processor: 'test.split', mode: 'shared', concurrency: 4 },
    'test',
  );
  await engine.stages.create(
    { name: 'read', processor: 'test.read', mode: 'shared', concurrency: 4 },
    'test',
  );
  await engine.pipelines.create({ name: 'transcription', stages: ['read', collectQueue], owner: 'local' });
  const services = runServices(engine);
  closing.push(() => services.close());
  if (options.collects !== false) {
    const house = await runTranscription(engine);
    closing.push(() => house.close());
  }
  for (let count = 0; count < (options.workers ?? 1); count++) await engine.workers.start();
  closing.push(() => engine.workers.close());

  const calls = [...engineOperations, ...transcriptionOperations].filter((one) => 'handler' in one);
  const operations = new Map(calls.map((one) => [one.name, one]));
  const signal = new AbortController().signal;
  const running: RunningTranscription = {
    engine,
    async call(name, input = {}, by = anna) {
      const operation = operations.get(name);
      if (!operation) throw new Error(`there is no operation ${name}`);
      return executeOperation(engine, operation, by, input, signal);
    },
    async submit(sources, more = {}, by = anna) {
      const { id } = await running.call('document.create', { name: 'test', ...more }, by);
      for (const [name, text] of Object.entries(sources)) {
        const { hash } = await putFor(engine, by.name, Buffer.from(text));
        await running.call('document.add', { document: id, name, hash }, by);
      }
      await running.call('document.submit', { document: id }, by);
      return id;
    },
    async reaches(document, state) {
      await eventually(
        `document ${document} is ${state}`,
        async () => (await running.call('document.show', { document }, admin)).state === state,
      );
    },
  };
  return running;
}
