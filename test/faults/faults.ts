import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../src/engine/ground/identity.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import type { ZookeeperServer } from '../../src/engine/testing/servers/zookeeper.ts';
import { presencePath } from '../../src/engine/worker/worker-record.ts';
import { type Installation, remoteWorker, workerNames } from './installation.ts';

export interface Struck {
  /** What was seen besides the requests. */
  note?: string;
  /** Puts back what was taken away, once the work has gone on without it. */
  repair?: () => Promise<void>;
}

export interface Fault {
  /** For the table. */
  what: string;
  /** Makes it happen, and calls `now` at the moment. One that lasts has ended when this resolves. */
  strike(installation: Installation, now: () => void): Promise<Struck>;
}

const patienceMs = 180_000;
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

export const faults = {
  worker: {
    what: 'a worker is killed',
    async strike(installation, now) {
      const name = await untilWorks(installation, workerNames);
      now();
      await installation.killWorker(name);
      return { repair: () => bringBack(installation, name) };
    },
  },
  leader: {
    what: 'the `pismak up` that leads the watchdog is killed',
    async strike(installation, now) {
      const { pismak, other } = await findLeader(installation);
      now();
      const tookMs = await timed(async () => {
        await pismak.kill();
        await untilLeads(installation, other);
      });
      return {
        note: `the other one led after ${seconds(tookMs)}`,
        repair: async () => void (await pismak.start()),
      };
    },
  },
  publisher: {
    what: 'the process that publishes is killed, and goes on with its journal',
    async strike(installation, now) {
      now();
      await installation.killPublisher();
      installation.startPublisher();
      return {};
    },
  },
  rabbitmq: {
    what: 'a RabbitMQ node is killed',
    async strike({ rabbit, random }, now) {
      const node = pick(rabbit.nodes, random);
      now();
      await node.kill();
      return { repair: () => node.start() };
    },
  },
  zookeeper: {
    what: 'the ZooKeeper leader is killed',
    async strike({ zookeeper }, now) {
      const server = await zookeeperLeader(zookeeper.servers);
      now();
      await server.kill();
      return { repair: () => server.start() };
    },
  },
  postgres: {
    what: 'the PostgreSQL primary is killed, the standby promoted; later the old one comes back as standby',
    async strike({ postgres }, now) {
      now();
      await postgres.primary.kill();
      const tookMs = await timed(async () => postgres.standby?.promote());
      return { note: `promoted in ${seconds(tookMs)}`, repair: () => postgres.rejoin() };
    },
  },
  'zookeeper-hangs': {
    what: 'a ZooKeeper server hangs (SIGSTOP) for 15 s',
    async strike({ zookeeper, random }, now) {
      const server = pick(zookeeper.servers, random);
      const leads = await server.isLeader();
      now();
      server.signal('SIGSTOP');
      await wait(15_000);
      server.signal('SIGCONT');
      return { note: leads ? 'it was the leader' : 'it was a follower' };
    },
  },
  memory: {
    what: 'a RabbitMQ memory alarm stops all publishing for 10 s or more',
    async strike({ rabbit, random }, now) {
      const node = pick(rabbit.nodes, random);
      const watermark = (share: string) => node.control('set_vm_memory_high_watermark', share);
      // Asked on the node itself: what other nodes know of it is old for minutes after one was killed.
      const isAlarmed = async () => /memory/.test(await node.control('eval', 'rabbit_alarm:get_alarms().'));
      await watermark('0.00001');
      now();
      const lastedMs = await timed(async () => {
        await Promise.all([wait(10_000), eventually('there is an alarm', isAlarmed, patienceMs)]);
        await watermark('0.4');
      });
      return { note: `the alarm lasted ${seconds(lastedMs)}` };
    },
  },
  partition: {
    what: "a worker's machine is cut off for 30 s",
    async strike(installation, now) {
      const { machine, coordination } = installation;
      if (!machine) throw new Error('There is no machine that could be cut off');
      await untilWorks(installation, [remoteWorker]);
      now();
      await machine.cut();
      const tookMs = await timed(async () => {
        const isGone = async () => !(await coordination.get(`${presencePath}/${remoteWorker}`));
        await eventually('its session has ended', isGone, patienceMs);
      });
      await wait(30_000 - tookMs);
      await machine.heal();
      const backMs = await timed(() => untilServing(installation, remoteWorker));
      return {
        note: `its session ended after ${seconds(tookMs)}; it served again ${seconds(backMs)} after the end`,
      };
    },
  },
  'leader-hangs': {
    what: 'the `pismak up` that leads hangs (SIGSTOP) until the other one leads',
    async strike(installation, now) {
      const { pismak, other, fence } = await findLeader(installation);
      now();
      pismak.pause();
      let tookMs: number;
      try {
        tookMs = await timed(() => untilLeads(installation, other));
      } finally {
        pismak.resume();
      }
      const saysSo = () => /"?watchdog"?.*leadership lost|leadership lost.*watchdog/.test(pismak.output);
      await eventually('it knows that it leads no more', saysSo, patienceMs);
      const after = await findLeader(installation);
      if (after.pismak === pismak) throw new Error('It leads again, though the other one does');
      return { note: `after ${seconds(tookMs)} the other one led, fence ${fence} -> ${after.fence}` };
    },
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

export function pick<T>(from: readonly T[], random: Random): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('There is nothing to choose from');
  return one;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function bringBack(installation: Installation, name: string): Promise<void> {
  installation.startWorker(name);
  await untilServing(installation, name);
}

/** Until one of these has messages in hand: which one. If none gets any for a while, the first will do. */
async function untilWorks(installation: Installation, names: readonly string[]): Promise<string> {
  const busy = async () => {
    const working = (await installation.workers()).filter(({ inFlight }) => inFlight > 0);
    return working.find(({ id }) => names.includes(id))?.id;
  };
  return eventually('one works', busy, 15_000).catch(() => names[0] ?? '');
}

async function untilServing(installation: Installation, name: string): Promise<void> {
  await eventually(
    `${name} serves a stage`,
    async () => (await installation.workers()).some(({ id, stage }) => id === name && stage !== null),
    patienceMs,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; it said:\n${installation.outputOf(name).slice(-3000)}`);
  });
}

async function findLeader(installation: Installation) {
  return eventually('a watchdog leads', () => installation.leader(), patienceMs);
}

async function untilLeads(installation: Installation, up: { directory: string }): Promise<void> {
  const leads = async () => (await installation.leader())?.directory === up.directory;
  await eventually('the other one leads', leads, patienceMs);
}

async function zookeeperLeader(servers: readonly ZookeeperServer[]): Promise<ZookeeperServer> {
  return eventually('ZooKeeper has a leader', async () => {
    const are = await Promise.all(servers.map((server) => server.isLeader()));
    return servers[are.indexOf(true)];
  });
}
