import { defineSentences } from '../ground/sentence.ts';

/** The reasons of the engine's alerts. Values that begin with `why` are texts of programs or servers, in English. */
export const sayAlert = defineSentences({
  'account.attacked': ({ account, failures }: { account: string; failures: number }) =>
    `${failures} recent failed sign-ins as ${account}; \`pismak audit ls --owner ${account}\` shows where from`,
  'account.attacked-many': ({ count, most }: { count: string; most: readonly string[] }) =>
    `${count} accounts have many recent failed sign-ins, most of all ${most.join(', ')}; \`pismak audit ls --operation session.login\` shows more`,
  'address.attacking': ({ address, failures }: { address: string; failures: number }) =>
    `${failures} recent failed sign-ins from ${address}; block the address in front of Pismak if it goes on`,
  'address.attacking-many': ({ count, most }: { count: string; most: readonly string[] }) =>
    `${count} addresses caused many recent failed sign-ins, most of all ${most.join(', ')}; \`pismak audit ls --operation session.login\` shows more`,

  'clock.ahead': ({ host, by, until }: { host: string; by: string; until: string }) =>
    `the clock of ${host} was set ahead by ${by}. ${heldUntil(until)}`,
  'clock.back': ({ host, by, until }: { host: string; by: string; until: string }) =>
    `the clock of ${host} was set back by ${by}. ${heldUntil(until)}`,

  'disk.low': ({ place, freeMb }: { place: string; freeMb: number }) =>
    `only ${freeMb} MB are free on the disk of ${place}; writes stop when it is full. Delete or move something`,
  'disk.full': ({ place, freeMb, reserveMb }: { place: string; freeMb: number; reserveMb: number }) =>
    `only ${freeMb} MB are free on the disk of ${place}, less than the reserve of ${reserveMb} MB: uploads and new requests are refused (disk-full) until something is deleted or the disk grows`,
  'disk.full-server': ({ server, stores }: { server: string; stores: readonly string[] }) =>
    `the disk of PostgreSQL at ${server} is full (53100): it stores nothing more for the ${stores.join(' and the ')}, uploads and new requests are refused (disk-full), and accepted work waits until space is freed there or the disk grows`,

  'process.busy': (it: { work: string; host: string; ms: number; count: number }) =>
    `${it.work} kept the main thread on ${it.host} busy for ${it.ms} ms of processor time without a break, ${it.count} times lately: all other users waited. It should never take more than 100 ms`,

  'queue.broken': ({ queue, why }: { queue: string; why: string }) => `queue ${queue} can't be used: ${why}`,
  'queue.broken-stage': ({ queue, why }: { queue: string; why: string }) =>
    `stage ${queue} can't work: ${why}`,
  'queue.dead-letters': ({ queue, dead }: { queue: string; dead: number }) =>
    `${dead === 1 ? '1 dead letter' : `${dead} dead letters`} in queue ${queue}; \`pismak queue dead ${queue}\` shows why`,
  'queue.refuses': ({ queue, tries, why }: { queue: string; tries: number; why: string }) =>
    `queue ${queue} refused its messages ${tries} times, so they wait: ${why}`,

  'schedule.failed': ({ schedule, why }: { schedule: string; why: string }) =>
    `schedule ${schedule} failed: ${why}`,

  'stage.broken': ({ stage, why }: { stage: string; why: string }) =>
    `stage ${stage} cannot be served: ${why}`,
  'stage.no-worker': (it: Unserved) =>
    `${unserved(it)}: no worker is alive; start one with \`pismak worker run\``,
  'stage.no-worker.unable': (it: Unserved & { worker: string; why: string }) =>
    `${unserved(it)}: worker ${it.worker} can't load it (${it.why})`,
  'stage.no-worker.labels': (it: Unserved & { labels: readonly string[] }) =>
    `${unserved(it)}: no live worker has the labels it needs (${it.labels.join(', ')})`,
  'stage.no-worker.disabled': (it: Unserved) =>
    `${unserved(it)}: all workers that could serve it are disabled; enable one with \`pismak worker enable\``,
  'stage.no-worker.priority': (it: Unserved) =>
    `${unserved(it)}: its priority is -1, so no worker is assigned to it; change it with \`pismak stage priority\``,
  'stage.no-worker.pinned': (it: Unserved) =>
    `${unserved(it)}: all workers that could serve it are pinned to other stages`,
  'stage.no-worker.busy': (it: Unserved) =>
    `${unserved(it)}: all workers that could serve it are busy with other stages; start more, or raise its priority`,

  'store.unreachable': ({ store, host, why }: { store: string; host: string; why: string }) =>
    `the ${store} can't be reached from ${host}: ${why}`,
  'store.read-only': ({ store, host, why }: { store: string; host: string; why: string }) =>
    `nothing can be stored in the ${store} from ${host}: ${why}`,

  'worker.failed': ({ worker, why }: { worker: string; why: string }) => `worker ${worker} failed: ${why}`,
  'worker.vanished': ({ worker, host }: { worker: string; host: string }) =>
    `worker ${worker} on ${host} has vanished (killed, crashed or cut off); start it again, or \`pismak worker forget ${worker}\``,
});

export interface Unserved {
  stage: string;
  waiting: number;
}

const unserved = ({ stage, waiting }: Unserved) => `stage ${stage} has ${waiting} waiting and no worker`;

const heldUntil = (until: string) =>
  `Nothing is deleted for its age until ${until}: if the time is wrong, correct it; if it is right, run \`pismak clock accept\``;
