import type { Engine } from '../../engine.ts';
import { hasCode } from '../../errors.ts';
import type { Check } from './check.ts';

/** Queues that the broker refuses. Tries each again first, so that it works again when the cause is gone. */
export function brokenQueues({ broker, stages }: Pick<Engine, 'broker' | 'stages'>): Check {
  const broken = async () => (await broker.status()).filter((queue) => queue.broken !== undefined);

  return {
    kind: 'queue.broken',
    async look() {
      for (const { name } of await broken()) await mend(name);
      const remaining = await broken();
      return Promise.all(
        remaining.map(async ({ name, broken }) => {
          const isStage = (await stages.list()).some((stage) => stage.name === name);
          const whose = isStage ? `stage ${name} can't work` : `queue ${name} can't be used`;
          return { entity: name, reason: `${whose}: ${broken}`, details: { queue: name, stage: isStage } };
        }),
      );
    },
  };

  async function mend(name: string): Promise<void> {
    if (await stages.mend(name)) return;
    await broker.declare(name, { keepIfRefused: true }).catch((error: unknown) => {
      if (!hasCode(error, 'conflict')) throw error;
    });
  }
}
