import { newFile } from '../request/request.ts';
import { openJobFiles } from './job-files.ts';
import type { LoadProcessor } from './processor.ts';

/** The input of a processor in a test. */
export interface ProcessorRun {
  config?: string;
  /** Name to content. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Files of the stage (models): name to path. */
  stageFiles?: Readonly<Record<string, string>>;
  attempt?: number;
  /** Programs that it may run (setting `command.allow`); all by default. */
  commands?: readonly string[];
  random?: () => number;
}

/**
 * Runs a processor once, without queue or worker, to test it:
 *
 *     const { files, log } = await runProcessor(shout, { files: { 'a.txt': 'hello' } });
 *     assert.equal(files['a.txt'], 'HELLO!');
 *
 * Files are returned as text, and as bytes in `contents`. Errors of the processor are thrown.
 */
export async function runProcessor(
  load: LoadProcessor,
  run: ProcessorRun = {},
): Promise<{ files: Record<string, string>; contents: Record<string, Uint8Array>; log: string[] }> {
  const {
    config = '',
    files = {},
    stageFiles = {},
    attempt = 1,
    random = Math.random,
    commands = ['*'],
  } = run;
  const given = Object.entries(files).map(([name, content]) => newFile(name, Buffer.from(content)));
  const noBlobs = () => {
    throw new Error('in this test all contents are small: nothing is read from blobs');
  };
  const jobFiles = openJobFiles({ get: noBlobs }, given);
  const log: string[] = [];
  const setup = {
    stage: 'test',
    version: 1,
    config,
    commands,
    random,
    files: Object.keys(stageFiles),
    file: async (name: string) => stageFiles[name] ?? name,
  };
  const process = await load(setup);
  try {
    const signal = new AbortController().signal;
    await process({
      uuid: 'test',
      stage: 'test',
      attempt,
      files: jobFiles,
      signal,
      log: (line) => log.push(line),
    });
  } finally {
    await process.close?.();
  }
  const contents = Object.fromEntries((await jobFiles.result()).map(({ name, content }) => [name, content]));
  const texts = Object.entries(contents).map(([name, content]) => [name, Buffer.from(content).toString()]);
  return { files: Object.fromEntries(texts), contents, log };
}
