import type { z } from 'zod';
import type { AlertNotice } from './alert/alert.ts';
import type { Broker } from './broker/broker.ts';
import type { Engine, HouseState, OpenHouse } from './composition/engine.ts';
import type { MigrationLine, Queries } from './database/database.ts';
import type { Events } from './event/event.ts';
import type { Operation } from './operation/operation.ts';
import type { StreamOperation } from './operation/stream-operation.ts';
import type { ProcessorRegistration } from './processor/processor.ts';
import type { Running } from './service/service.ts';
import type { Settings } from './settings/settings.ts';
import type { FirstStart } from './stage/first-start.ts';

/**
 * One subject that Pismak serves (transcription, mail, ...), in one folder. `src/houses.ts` lists the houses; the engine,
 * the server and the command line read that list and know no house by name.
 */
export interface House {
  /** Prefix of its tables, stages, queues and services; its section in pismak.toml. Lower case letters. */
  readonly name: string;
  /** The heading above its commands in `pismak --help`. */
  readonly title: string;
  /** Its section of the settings: checked, documented and shown like the engine's own. Read it with `sectionOf`. */
  readonly settings?: z.ZodObject;
  readonly commands: Readonly<Record<string, CommandGroup>>;
  /** Where its part of the built console is, if the house is a package of its own. */
  readonly consoleDirectory?: string;
  /** Everything that only a running engine needs, loaded on demand so that commands start fast. */
  load(): Promise<HouseParts>;
}

/** What a house adds to a running engine; what the engine calls on the house is in `OpenHouse`. */
export interface HouseParts extends Omit<OpenHouse, 'name' | 'settings'> {
  /** The house's own migrations, run after the engine's. Use its tables through `database.withTables()`. */
  readonly migrations?: MigrationLine['migrations'];
  readonly processors?:
    | readonly ProcessorRegistration[]
    | ((parts: ProcessorParts) => readonly ProcessorRegistration[]);
  /** Stages and pipelines created at the first start. */
  readonly firstStart?: FirstStart;
  /**
   * Creates the house's state for as long as an engine is open, e.g. caches and wake-ups of its services: one instance of a class of
   * its own, which handlers, pages and services read with `stateOf`. Called before them, so it must be quick: open slow things on use
   * (`OnDemand`). Closed before the stores.
   */
  open?(engine: Engine): HouseState;
  /** Operations that answer with JSON, and those that stream bytes. */
  readonly operations?: readonly (Operation | StreamOperation)[];
  /** Addresses outside /api that need no sign-in. */
  readonly pages?: readonly PublicPage[];
  /** Called in the transaction that stores an alert or its end; messages added to the outbox there are sent with it. Must be quick. */
  onAlert?(
    engine: Pick<Engine, 'backlog' | 'clock' | 'settings'>,
    transaction: Queries,
    notice: AlertNotice,
  ): Promise<void>;
  /** Its services and consumers; each service elects one leader in the cluster. */
  run?(engine: Engine): Promise<Running>;
  /** Runs beside a worker in a separate process (`pismak worker run`), where `run` is not called. */
  runBesideWorker?(parts: BesideWorker): Running;
}

/** For processors that run in the worker's thread and need the stores. */
export type ProcessorParts = Pick<Engine, 'changes' | 'clock' | 'database' | 'settings'>;

/** What a process that only serves stages has. */
export interface BesideWorker extends Pick<Engine, 'clock' | 'log' | 'settings'> {
  broker: Broker;
  /** Events of this process. */
  events: Events;
}

/** A house whose parts are loaded. */
export interface LoadedHouse extends HouseParts {
  readonly name: string;
  readonly settings?: z.ZodObject;
  readonly consoleDirectory?: string;
}

/** Loaded when named on the command line. `default` is an `AddGroup` of `src/terminal/command-group.ts`. */
export interface CommandGroup {
  summary: string;
  load(): Promise<{ default: (group: never, shell: never) => void }>;
}

/** A public address of a house. */
export interface PublicPage {
  /** `/robot`, or with parameters `/mail/:token`. For links that people read, the house's initial works too: `/m/:token`. */
  path: string;
  summary: string;
  /** Undefined if there is no such page. */
  show(
    engine: Engine,
    request: { parameters: Readonly<Record<string, string>>; query: Readonly<Record<string, unknown>> },
  ): Promise<PublicAnswer | undefined>;
  /** Handles a POST to the page, if it accepts any: from its own form, or from a program that follows a standard. At most 16 KB. */
  submit?(
    engine: Engine,
    request: { parameters: Readonly<Record<string, string>>; body: string },
  ): Promise<PublicAnswer | undefined>;
}

/** The response of a public page. */
export interface PublicAnswer {
  /** Media type. */
  type: string;
  content: string | Uint8Array;
  /** Whether it may show images from other servers. Nothing else is ever loaded from them. */
  hasImages?: boolean;
}

export function loadHouses(houses: readonly House[]): Promise<LoadedHouse[]> {
  return Promise.all(
    houses.map(async (house) => {
      const parts = await house.load();
      checkPrefix(house.name, parts);
      const { name, settings, consoleDirectory } = house;
      return {
        ...parts,
        name,
        ...(settings && { settings }),
        ...(consoleDirectory !== undefined && { consoleDirectory }),
      };
    }),
  );
}

/** A house's name and settings schema: exported by its `settings.ts`, so that only the list of houses imports `house.ts`. */
export interface SettingsSection<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly settings: Schema;
}

/** The house's own section of the settings: `sectionOf(engine.settings, guestbookSection)`. */
export function sectionOf<Schema extends z.ZodObject>(
  settings: Settings,
  section: SettingsSection<Schema>,
): z.output<Schema> {
  return section.settings.parse((settings as Record<string, unknown>)[section.name] ?? {});
}

/** The house's state for this engine, by the class that its `open` instantiated: `stateOf(engine, GuestbookState)`. */
export function stateOf<State extends HouseState>(
  engine: Pick<Engine, 'states'>,
  type: abstract new (...options: never[]) => State,
): State {
  const state = engine.states.find((each): each is State => each instanceof type);
  if (!state) throw new Error(`no house of this engine opened a ${type.name}`);
  return state;
}

/** Two houses may both have a page called `about`, but never at the same address. */
function checkPrefix(name: string, { pages = [], operations = [] }: HouseParts): void {
  const prefixes = [`/${name}/`, `/${name[0]}/`];
  const paths = [
    ...pages.map(({ path }) => path),
    ...operations.flatMap((operation) => ('paths' in operation && operation.paths) || []),
  ];
  const foreign = paths.find(
    (path) => path !== `/${name}` && !prefixes.some((prefix) => path.startsWith(prefix)),
  );
  if (foreign) throw new Error(`page ${foreign} of house ${name} must start with /${name}`);
}
