import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coordination } from '../../src/engine/coordination/coordination.ts';
import { openLastingSession } from '../../src/engine/coordination/lasting-session.ts';
import { openCoordination } from '../../src/engine/coordination/open.ts';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import type { Random } from '../../src/engine/ground/identity.ts';
import { servicePath } from '../../src/engine/service/service.ts';
import { type ChildProgram, startProgram } from '../../src/engine/testing/child-program.ts';
import { type PostgresServer, startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { type RabbitCluster, startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { startZookeeper, type ZookeeperEnsemble } from '../../src/engine/testing/servers/zookeeper.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { listWorkers, type WorkerPresence } from '../../src/engine/worker/worker-record.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { WorkerElsewhere } from '../scale/worker-elsewhere.ts';
import { type Machine, openMachine } from './machine.ts';
import { output, type Sent, stages } from './work.ts';

export const workerNames = ['worker-1', 'worker-2', 'worker-3'];
/** The one that runs on a machine of its own, if there is one. */
export const remoteWorker = 'worker-3';
/** One more, which does not know the processor of the stages. */
export const unableWorker = 'worker-4';
const processor = 'wait-a-little';
const processorPath = join(import.meta.dirname, 'programs', `${processor}.ts`);

interface QueueCounts {
  name: string;
  messages: number;
  messages_ready: number;
  messages_unacknowledged: number;
}
type ChannelCounts = Pick<QueueCounts, 'name' | 'messages_unacknowledged'>;

const faultless = { after: () => {} };

/**
 * RabbitMQ x3, ZooKeeper x3, PostgreSQL with a standby, two `pismak up`, three workers, and one that can load nothing: each a
 * process of its own.
 */
export class Installation {
  readonly directory: string;
  readonly rabbit: RabbitCluster;
  readonly zookeeper: ZookeeperEnsemble;
  readonly postgres: PostgresServer;
  readonly machine: Machine | undefined;
  readonly random: Random;
  readonly urls: { broker: string; coordination: string; database: string };
  /** For looking from outside. */
  readonly coordination: Coordination;
  readonly ups: readonly { directory: string; pismak: RunningPismak }[];
  readonly #workers = new Map<string, WorkerElsewhere>();
  readonly #closing: (() => Promise<unknown>)[];
  #publisher: ChildProgram | undefined;
  #seed = '';
  #everyMs = 0;
  #arrived = 0;
  #closed: Promise<void> | undefined;

  private constructor(
    parts: Pick<
      Installation,
      | 'directory'
      | 'rabbit'
      | 'zookeeper'
      | 'postgres'
      | 'machine'
      | 'random'
      | 'urls'
      | 'coordination'
      | 'ups'
    >,
    closing: (() => Promise<unknown>)[],
  ) {
    this.directory = parts.directory;
    this.rabbit = parts.rabbit;
    this.zookeeper = parts.zookeeper;
    this.postgres = parts.postgres;
    this.machine = parts.machine;
    this.random = parts.random;
    this.urls = parts.urls;
    this.coordination = parts.coordination;
    this.ups = parts.ups;
    this.#closing = closing;
  }

  /** With `machine`, the last worker runs behind a cable that can be pulled. */
  static async start(options: { machine: boolean; random: Random }): Promise<Installation> {
    const { random } = options;
    const closing: (() => Promise<unknown>)[] = [];
    const close = () => closeAll(closing);
    try {
      const directory = await mkdtemp(join(tmpdir(), 'pismak-faults-'));
      closing.push(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
      const machine = options.machine ? await openMachine(Math.random) : undefined;
      if (machine) closing.push(machine.close);
      const place = machine ? { address: machine.address } : {};
      const { rabbit, zookeeper, postgres } = await startServers(place, closing);
      const urls = {
        broker: (await rabbit.createHost()).url,
        coordination: `${zookeeper.url.replace('://', '://pismak:secret@')}/pismak`,
        database: await postgres.createDatabase(),
      };
      const source = await openCoordination(urls.coordination, { clock: systemClock });
      closing.push(() => source.close());
      const coordination = await openLastingSession(source, 'looking');

      const settings = {
        broker: urls.broker,
        coordination: urls.coordination,
        database: urls.database,
        blobs: urls.database,
        'worker.count': 0,
        'watchdog.periodMs': 200,
        'watchdog.reconfigurationMs': 200,
        [`processors.${processor}`]: processorPath,
      };
      const ups = ['up-1', 'up-2'].map((name) => {
        const data = join(directory, name);
        return {
          directory: data,
          pismak: new RunningPismak(data, settings, [...endsWithUs, ...commands.up]),
        };
      });
      const parts = { directory, rabbit, zookeeper, postgres, machine, random, urls, coordination, ups };
      for (const { pismak } of ups) {
        closing.push(() => pismak.kill());
        await pismak.start();
      }
      const installation = new Installation(parts, closing);
      closing.push(() => installation.#endWorkers());
      for (const name of stages) {
        await ups[0]?.pismak.call('stage.create', { name, processor, concurrency: 4 });
      }
      for (const name of [...workerNames, unableWorker]) installation.startWorker(name);
      return installation;
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Where requests can be that don't come out: for whoever must find out why. */
  async whereabouts(): Promise<string> {
    const [queues, channels] = (await Promise.all([
      this.rabbit.manage('GET', '/queues'),
      this.rabbit.manage('GET', '/channels'),
    ])) as [QueueCounts[], ChannelCounts[]];
    return [
      ...queues
        .filter(({ messages }) => messages > 0)
        .map(
          (one) => `queue ${one.name}: ${one.messages_ready} ready, ${one.messages_unacknowledged} in hand`,
        ),
      ...channels
        .filter(({ messages_unacknowledged }) => messages_unacknowledged > 0)
        .map((one) => `channel ${one.name}: ${one.messages_unacknowledged} in hand`),
      ...(await this.workers()).map((one) => `worker ${JSON.stringify(one)}`),
      ...[...workerNames, unableWorker].map(
        (name) => `${name} said last:\n${this.outputOf(name).slice(-1500)}`,
      ),
    ].join('\n');
  }

  startWorker(name: string): void {
    const through: string[] = [...endsWithUs];
    if (this.machine && name === remoteWorker) through.push(...this.machine.through);
    const { directory, urls } = this;
    const options = name === unableWorker ? [] : ['--set', `processors.${processor}=${processorPath}`];
    const worker = new WorkerElsewhere(join(directory, name), urls.coordination, name, through, options);
    this.#workers.set(name, worker);
  }

  async killWorker(name: string): Promise<void> {
    await this.#workers.get(name)?.end('SIGKILL');
  }

  /** What a worker printed last, to tell why something went wrong. */
  outputOf(name: string): string {
    return this.#workers.get(name)?.output ?? '';
  }

  /** What those that are there say of themselves. */
  async workers(): Promise<WorkerPresence[]> {
    return (await listWorkers(this.coordination)).flatMap(({ presence }) => presence ?? []);
  }

  /** How often the worker that can load nothing has tried in vain, and what it has done all the same. */
  async unable(): Promise<{ failedLoads: number; done: number; elsewhere: string[] }> {
    const { failedLoads = {}, timings = {} } =
      (await this.workers()).find(({ id }) => id === unableWorker) ?? {};
    return {
      failedLoads: Object.values(failedLoads).reduce((sum, count) => sum + count, 0),
      done: stages.reduce((sum, name) => sum + (timings[name]?.count ?? 0), 0),
      elsewhere: Object.keys(timings).filter((name) => !stages.includes(name)),
    };
  }

  /** The `pismak up` whose watchdog leads, and the other one. */
  async leader() {
    const holder = await this.coordination.holder(servicePath('watchdog'));
    for (const [index, up] of this.ups.entries()) {
      const pid = (await readHolder(up.directory))?.pid;
      const other = this.ups[1 - index];
      if (pid !== undefined && other && holder?.identity.endsWith(`:${pid}`))
        return { ...up, other, ...holder };
    }
    return undefined;
  }

  get #journal(): string {
    return join(this.directory, 'journal');
  }

  startPublisher(seed = this.#seed, everyMs = this.#everyMs): void {
    this.#seed = seed;
    this.#everyMs = everyMs;
    const program = join(import.meta.dirname, 'programs', 'publish.ts');
    const directories = this.ups.map((up) => up.directory);
    const after = () => this.#closing.push(() => this.killPublisher());
    this.#publisher = startProgram({ after }, program, [
      this.#journal,
      seed,
      String(everyMs),
      ...directories,
    ]);
    this.tellArrived(this.#arrived);
  }

  async killPublisher(): Promise<void> {
    const publisher = this.#publisher;
    this.#publisher = undefined;
    await publisher?.kill();
  }

  /** Tells the publisher how many requests have come out. */
  tellArrived(count: number): void {
    this.#arrived = count;
    this.#publisher?.send(`arrived ${count}`);
  }

  /** Lets it finish what it has begun. */
  async endPublisher(): Promise<void> {
    const publisher = this.#publisher;
    this.#publisher = undefined;
    publisher?.send('enough');
    await publisher?.ended;
  }

  /** What was confirmed to the publisher so far. */
  async sent(): Promise<Sent[]> {
    const text = await readFile(this.#journal, 'utf8').catch(() => '');
    const whole = text.split('\n').filter((line) => line.endsWith('}'));
    return whole.map((line): Sent => JSON.parse(line));
  }

  startChecker(): ChildProgram {
    const program = join(import.meta.dirname, 'programs', 'check-output.ts');
    const checker = startProgram(faultless, program, [this.urls.broker, output]);
    this.#closing.push(() => checker.kill());
    return checker;
  }

  close(): Promise<void> {
    this.#closed ??= closeAll(this.#closing);
    return this.#closed;
  }

  async #endWorkers(): Promise<void> {
    await Promise.all([...this.#workers.keys()].map((name) => this.killWorker(name)));
  }
}

async function startServers(place: { address?: string }, closing: (() => Promise<unknown>)[]) {
  const starting = [
    startRabbitCluster(3, place),
    startZookeeper(place),
    startPostgres({ ...place, standby: true }),
  ] as const;
  const [rabbit, zookeeper, postgres] = await Promise.allSettled(starting);
  for (const server of [rabbit, zookeeper, postgres]) {
    if (server.status === 'fulfilled') closing.push(() => server.value.close());
  }
  if (rabbit.status === 'rejected') throw rabbit.reason;
  if (zookeeper.status === 'rejected') throw zookeeper.reason;
  if (postgres.status === 'rejected') throw postgres.reason;
  return { rabbit: rabbit.value, zookeeper: zookeeper.value, postgres: postgres.value };
}

/** In the opposite order of opening; what fails doesn't keep the rest open. */
async function closeAll(closing: (() => Promise<unknown>)[]): Promise<void> {
  // Servers don't keep this process alive, but it must see them end.
  const awake = setInterval(() => {}, 1000);
  for (const step of closing.splice(0).reverse()) await step().catch(() => {});
  clearInterval(awake);
}
