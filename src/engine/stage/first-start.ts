import type { z } from 'zod';
import { hasCode, messageOf } from '../ground/errors.ts';
import type { Ports } from '../ports/ports.ts';
import type { Pipelines } from './pipelines.ts';
import type { stageDefinition } from './stage.ts';
import type { Stages } from './stages.ts';

/** Stages and pipelines created at the first start. */
export interface FirstStart {
  stages: readonly z.input<typeof stageDefinition>[];
  /** The last name of `stages` is the output queue. */
  pipelines: readonly { name: string; stages: readonly string[] }[];
}

/** A pipeline to watch before any stage is defined. */
export const demonstration: FirstStart = {
  stages: [
    { name: 'demo.read', config: 'DUMMY = True\nTIME_SCALE = 0.0002\nTIME_DELTA = 0.05\n' },
    { name: 'demo.transcribe', config: 'DUMMY = True\nTIME_SCALE = 0.0004\nTIME_DELTA = 0.1\n' },
    { name: 'demo.check', config: 'DUMMY = True\nTIME_SCALE = 0.0001\nTIME_DELTA = 0.05\n' },
  ].map((stage) => ({ ...stage, processor: 'dummy' })),
  pipelines: [{ name: 'demo', stages: ['demo.read', 'demo.transcribe', 'demo.check', 'demo.out'] }],
};

/** Runs once per installation, so nothing that an administrator deletes comes back. */
export async function applyFirstStart(
  engine: Pick<Ports, 'clock' | 'coordination' | 'log'> & { stages: Stages; pipelines: Pipelines },
  name: string,
  first: FirstStart,
): Promise<void> {
  const marker = `/installation/${name}`;
  if (await engine.coordination.get(marker)) return;
  for (const stage of first.stages)
    await unlessThere(engine.stages.create(stage, 'local', { keepIfRefused: true }));
  try {
    for (const { name, stages } of first.pipelines)
      await unlessThere(engine.pipelines.create({ name, stages: [...stages], owner: 'local' }));
  } catch (error) {
    // The broker refused the output queue. Everything else works, and the next start tries again.
    if (!hasCode(error, 'conflict')) throw error;
    engine.log.warn(
      { error: messageOf(error) },
      `some of the first pipelines of ${name} could not be created`,
    );
    return;
  }
  // Last: after a crash half-way, everything simply runs again.
  await engine.coordination.set(marker, String(engine.clock.now()));
}

async function unlessThere(creating: Promise<unknown>): Promise<void> {
  await creating.catch((error: unknown) => {
    if (!hasCode(error, 'already-exists')) throw error;
  });
}
