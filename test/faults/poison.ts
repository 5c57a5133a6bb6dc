import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeRequest, newRequest, toMessage } from '../../src/engine/request/request.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { listWorkers } from '../../src/engine/worker/worker-record.ts';
import { startSystem } from '../../src/server/system.ts';

export interface PoisonFigures {
  good: number;
  poison: number;
  /** Good requests that came out with status OK. */
  finished: number;
  /** Of each kind: how many there were, and how many are where the outcome table says. */
  kinds: Record<string, { sent: number; inPlace: number }>;
  workersAlive: number;
  workers: number;
  seconds: number;
}

const stages = ['poison.first', 'poison.second'];
const output = 'poison.out';

/** Poison among good requests: everything good must come out, and the poison must be where the outcome table says. */
export async function survivePoison(options: {
  directory: string;
  good: number;
  poison: number;
}): Promise<PoisonFigures> {
  const startedAt = performance.now();
  const settings = settingsSchema.parse({
    data: options.directory,
    http: { port: 0 },
    worker: { count: 2 },
    watchdog: { periodMs: 50, reconfigurationMs: 100 },
    log: { level: 'error' },
  });
  const system = await startSystem(settings, { purpose: 'poison' });
  const { broker, stages: definitions, pipelines, coordination } = system.engine;
  try {
    for (const name of stages) {
      await definitions.create(
        { name, processor: 'dummy', config: 'TIME_SCALE = 0', concurrency: 4 },
        'test',
      );
    }
    await pipelines.prepare([...stages, output], 'local');

    const request = (list: string[]) =>
      newRequest({
        uuid: randomUUID(),
        stages: list,
        files: [{ name: 'f', content: randomBytes(500) }],
        startedAt: 1,
      });
    const whole = () => toMessage(request([...stages, output])).body;
    const kinds: Record<string, { place: 'dead' | 'output'; body: () => Uint8Array }> = {
      'random bytes': { place: 'dead', body: () => randomBytes(300) },
      // Cut inside the file's content, so that the rest is missing for certain.
      'truncated protobuf': { place: 'dead', body: () => whole().subarray(0, 200) },
      'unknown next stage': {
        place: 'output',
        body: () => toMessage(request(['poison.first', 'nowhere', output])).body,
      },
      'missing output': {
        place: 'dead',
        body: () => toMessage(request(['poison.first', 'missing.out'])).body,
      },
      'empty message': { place: 'dead', body: () => new Uint8Array() },
    };
    const names = Object.keys(kinds);
    const sent = new Map(names.map((name) => [name, new Set<string>()]));
    const good = new Set<string>();
    const every = Math.max(1, Math.floor(options.good / options.poison));
    for (let index = 0, poisoned = 0; index < options.good; index++) {
      const one = request([...stages, output]);
      good.add(one.uuid);
      await broker.publish('poison.first', toMessage(one));
      if (index % every !== 0 || poisoned >= options.poison) continue;
      const name = names[poisoned++ % names.length] ?? '';
      const id = `${name} ${poisoned}`;
      const body = kinds[name]?.body() ?? new Uint8Array();
      // What parses is known by its uuid, what does not by the id of its message.
      sent.get(name)?.add(kinds[name]?.place === 'output' ? decodeRequest(body).uuid : id);
      await broker.publish('poison.first', { id, body });
    }

    for (;;) {
      const left = await Promise.all(stages.map((name) => broker.status(name)));
      if (left.every(({ ready, delayed, inFlight }) => ready.high + ready.normal + delayed + inFlight === 0))
        break;
      await wait(50);
    }
    const out = (await broker.peek(output, { limit: 100_000 })).map((message) => decodeRequest(message.body));
    const dead = new Set(
      (await broker.dead('poison.first', { limit: 100_000 })).map((message) => message.id),
    );
    const failed = new Set(out.filter((one) => one.logs.at(-1)?.status === 'Failed').map((one) => one.uuid));
    const finished = out.filter((one) => good.has(one.uuid) && one.logs.at(-1)?.status === 'OK').length;
    const workers = await listWorkers(coordination);
    return {
      good: good.size,
      poison: [...sent.values()].reduce((sum, ids) => sum + ids.size, 0),
      finished,
      kinds: Object.fromEntries(
        [...sent].map(([name, ids]) => {
          const place = kinds[name]?.place === 'output' ? failed : dead;
          return [name, { sent: ids.size, inPlace: [...ids].filter((id) => place.has(id)).length }];
        }),
      ),
      workers: workers.length,
      workersAlive: workers.filter((worker) => worker.presence && worker.state !== 'FAILED').length,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    };
  } finally {
    await system.close();
  }
}

export function survived(figures: PoisonFigures): boolean {
  const inPlace = Object.values(figures.kinds).every((kind) => kind.sent === kind.inPlace);
  return inPlace && figures.finished === figures.good && figures.workersAlive === figures.workers;
}
