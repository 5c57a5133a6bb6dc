import type { StageSettings } from '../stage/stage-config.ts';

/**
 * The code that does the work of a stage. A processor is loaded once per stage and version, and then called once per request:
 *
 *     export default defineProcessor(async (setup) => {
 *       const suffix = setup.config || '!';
 *       return async (job) => {
 *         for (const name of job.files.names()) {
 *           const text = Buffer.from(await job.files.read(name)).toString();
 *           await job.files.write(name, Buffer.from(text.toUpperCase() + suffix));
 *         }
 *         job.log('shouted');
 *       };
 *     });
 */
export function defineProcessor(load: LoadProcessor): LoadProcessor {
  return load;
}

/** Called once per version of a stage: reads the configuration, loads models. */
export type LoadProcessor = (setup: Setup) => Promise<Process>;

/** Called once per request. An error fails this attempt, except for `PermanentFailure` and `WrongWorker`. */
export type Process = ((job: Job) => Promise<void>) & { close?: () => Promise<void> };

/** What a processor knows about its stage. */
export interface Setup {
  stage: string;
  version: number;
  /** The stage's configuration text, as the administrator wrote it. */
  config: string;
  /** Names of the stage's files. */
  files: readonly string[];
  /** Path of a local copy of one of the stage's files. */
  file(name: string): Promise<string>;
  /** Programs that this machine allows stages to run (setting `command.allow`); none by default. */
  commands?: readonly string[];
  /** Source of randomness; a test passes its own. */
  random(): number;
}

/** One attempt at one request. */
export interface Job {
  readonly uuid: string;
  readonly stage: string;
  /** The user who owns the request. Only processors that run inside the worker learn it. */
  readonly owner?: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly files: JobFiles;
  /** Aborts when the time is up or the worker must stop at once. */
  readonly signal: AbortSignal;
  /** Adds a line to the stage's log, which travels with the request. */
  log(line: string): void;
}

/** The request's files so far; any may be added, replaced or removed. Order is kept; new files come last. */
export interface JobFiles {
  names(): string[];
  size(name: string): number;
  /** The whole content, in memory. */
  read(name: string): Promise<Uint8Array>;
  /** The content as a new file on disk, for content that may be larger than memory. */
  save(name: string, path: string): Promise<void>;
  /** The file is readable at once; when the promise resolves, large content is stored and no longer held in memory. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Sets the content from a file on disk, for content that may be larger than memory. It is stored when the promise resolves. */
  writeFrom(name: string, path: string): Promise<void>;
  remove(name: string): void;
}

/** Thrown by a processor when a retry can't help: bad input, unsupported format. The request fails for good. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

/** Checks by name: a user's own processor may have been written against another copy of this class. */
export function isPermanent(error: unknown): boolean {
  return error instanceof Error && error.name === 'PermanentFailure';
}

/**
 * Thrown by a processor when this worker can't serve the request but another may: for example, Pismak is older here. The request
 * waits in its queue for another worker, and such attempts don't count.
 */
export class WrongWorker extends Error {
  override name = 'WrongWorker';
}

export function isWrongWorker(error: unknown): boolean {
  return error instanceof Error && error.name === 'WrongWorker';
}

/** A processor, as the engine knows it. */
export type ProcessorRegistration = {
  name: string;
  summary: string;
  /** Checks a stage's configuration text before it is stored; throws a message for the administrator. */
  check?: (config: string, machine: { commands: readonly string[] }) => void;
  /** The keys of its configuration, if it reads it with `parseStageConfig`: forms are drawn from them. */
  settings?: StageSettings;
  /** What its configuration may have besides lines `KEY = value`, for people. */
  besides?: string;
  /**
   * Whether the same input with this configuration always has the same outcome, independent of anything outside (a network, a
   * service). A timeout is then not retried, and a crash only once. Default: false.
   */
  isDeterministic?: (config: string) => boolean;
  /**
   * What a stage with this configuration and these files can do on this machine (for example, languages it can read), so that work that no
   * worker can do is refused at once. Undefined if unknown. Workers report it with their presence; at most 500 names.
   */
  offers?: (config: string, files: readonly string[]) => Promise<readonly string[] | undefined>;
  /** Programs and models that such a stage uses on this machine, each in a line for `pismak doctor`. Workers report them, too; at most 20. */
  tools?: (config: string, files: readonly string[]) => Promise<readonly string[]>;
} & (
  | {
      /** Runs in its own process, so that a fault affects only its own request. The default choice. */
      module: URL;
      /** It needs the network. Otherwise it gets no network, where that can be cut off. */
      network?: true;
    }
  | {
      /** Runs in the worker's thread: only for our own code that waits for I/O and can neither crash nor spin. */
      inline: LoadProcessor;
    }
);
