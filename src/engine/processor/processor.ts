/**
 * What does the work of a stage. A processor is loaded once per stage and version, and then called once per request:
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

/** Called per request. What it throws fails this attempt, unless it is a `PermanentFailure` or a `WrongWorker`. */
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
  /** The user whose request it is. Only processors that run inside the worker learn it. */
  readonly owner?: string;
  /** 1 the first time. */
  readonly attempt: number;
  readonly files: JobFiles;
  /** Aborts when the time is up or the worker must stop at once. */
  readonly signal: AbortSignal;
  /** A line of the stage's log, which travels with the request. */
  log(line: string): void;
}

/** The request's files so far; any number may be added, replaced or removed. Order is kept, new ones come last. */
export interface JobFiles {
  names(): string[];
  size(name: string): number;
  /** The whole content, in memory. */
  read(name: string): Promise<Uint8Array>;
  /** The content as a new file on the disk, for what may be larger than memory. */
  save(name: string, path: string): Promise<void>;
  /** The file is readable at once; when the promise resolves, a large content is stored and no longer held in memory. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** The content of a file on the disk, for what may be larger than memory. It is stored when the promise resolves. */
  writeFrom(name: string, path: string): Promise<void>;
  remove(name: string): void;
}

/** Thrown by a processor when trying again can't help: bad input, unsupported format. The request fails for good. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

/** By name: a processor of the user's own may have been written against another copy of this class. */
export function isPermanent(error: unknown): boolean {
  return error instanceof Error && error.name === 'PermanentFailure';
}

/**
 * Thrown by a processor when this worker can't serve the request but another may: Pismak is older here, say. The request
 * waits in its queue for another worker, and its attempts don't count.
 */
export class WrongWorker extends Error {
  override name = 'WrongWorker';
}

export function isWrongWorker(error: unknown): boolean {
  return error instanceof Error && error.name === 'WrongWorker';
}

/** How the engine knows a processor. */
export type ProcessorRegistration = {
  name: string;
  summary: string;
  /** Checks a stage's configuration text before it is stored; throws what the administrator should read. */
  check?: (config: string, machine: { commands: readonly string[] }) => void;
  /**
   * Whether the same input with this configuration always takes the same course: nothing outside (a network, a service) has
   * a say. A timeout is then not tried again, and a crash only once. By default it is not.
   */
  isDeterministic?: (config: string) => boolean;
  /**
   * What a stage with this configuration and these files can do on this machine (languages it can read, say), so that work that no
   * worker can do is refused at once. Undefined if nobody knows. Workers tell it with their presence; at most 500 names.
   */
  offers?: (config: string, files: readonly string[]) => Promise<readonly string[] | undefined>;
} & (
  | {
      /** Runs in its own process, so a fault can cost only its own request. The default choice. */
      module: URL;
      /** It needs the network. Without this it gets none, where that can be cut off. */
      network?: true;
    }
  | {
      /** Runs in the worker's thread: only for our own code that waits for I/O and can neither crash nor spin. */
      inline: LoadProcessor;
    }
);
