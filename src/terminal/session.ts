import type { House } from '../engine/house.ts';
import type { CommandLineSettings, LoadedSettings } from '../engine/settings/load.ts';
import type { Settings } from '../engine/settings/settings.ts';
import type { Clock } from '../engine/time/clock.ts';
import type { Client, Destination } from './client/client.ts';
import type { Output, Sink } from './output/output.ts';
import type { Progress } from './output/progress.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  config?: string;
  data?: string;
  set?: string[];
  url?: string;
  key?: string;
  json?: boolean;
}

/** Everything that a command works with. */
export interface Session<Options extends object = object> {
  readonly options: Options & GlobalOptions;
  readonly out: Output;
  readonly stderr: Sink;
  readonly clock: Clock;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly houses: readonly House[];
  /** True if the client acts on another machine. */
  readonly remote: boolean;
  /** Opened on first use, closed at the end. */
  client(): Promise<Client>;
  settings(): Promise<LoadedSettings>;
  /** A client with its own engine, services and workers in this process, but no server. The caller closes it. */
  openWork(options: WorkOptions): Promise<Client>;
  /** A progress bar on stderr; closed at the end. */
  progress(what: string, total?: number): Progress;
}

export interface WorkOptions {
  settings: Settings;
  /** Shown to users who find the data directory in use. */
  purpose: string;
  workers: number;
}

/** The outside world, replaceable in tests. */
export interface Surroundings {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly houses: readonly House[];
  openClient(options: { destination: Destination; settings: () => Promise<LoadedSettings> }): Promise<Client>;
  openWork(options: WorkOptions): Promise<Client>;
  loadSettings(options: CommandLineSettings): Promise<LoadedSettings>;
}
