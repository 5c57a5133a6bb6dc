import type { Engine } from '../engine/engine.ts';
import { hasCode } from '../engine/errors.ts';

const marker = '/installation/samples';
const stages = [
  { name: 'demo.read', config: 'DUMMY = True\nTIME_SCALE = 0.0002\nTIME_DELTA = 0.05\n' },
  { name: 'demo.transcribe', config: 'DUMMY = True\nTIME_SCALE = 0.0004\nTIME_DELTA = 0.1\n' },
  { name: 'demo.check', config: 'DUMMY = True\nTIME_SCALE = 0.0001\nTIME_DELTA = 0.05\n' },
];

/** On the first start: a pipeline `demo` of three dummy stages, so that there is something to watch. */
export async function createSamples(engine: Engine): Promise<void> {
  if (await engine.coordination.get(marker)) return;
  for (const stage of stages) {
    await unlessThere(engine.stages.create({ ...stage, processor: 'dummy' }, 'local'));
  }
  const names = [...stages.map((stage) => stage.name), 'demo.out'];
  await unlessThere(engine.pipelines.create({ name: 'demo', stages: names, owner: 'local' }));
  // Last, so that a crash half-way only means that it is done again; deleted samples don't come back.
  await engine.coordination.set(marker, String(engine.clock.now()));
}

async function unlessThere(creating: Promise<unknown>): Promise<void> {
  await creating.catch((error: unknown) => {
    if (!hasCode(error, 'already-exists')) throw error;
  });
}
