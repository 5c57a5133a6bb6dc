import { sayAlert } from '../../alert/sentences.ts';
import { hasCode } from '../../ground/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Stages } from '../../stage/stages.ts';
import type { Check } from './check.ts';

/** Queues that the broker refuses. First declares each one again, so that it works as soon as the cause is gone. */
export function brokenQueues({ broker, stages }: Pick<Ports, 'broker'> & { stages: Stages }): Check {
  const broken = async () => (await broker.status()).filter((queue) => queue.broken !== undefined);

  return {
    kind: 'queue.broken',
    async look() {
      const found = await broken();
      if (found.length === 0) return [];
      for (const { name } of found) await mend(name);
      const names = new Set((await stages.list()).map((stage) => stage.name));
      return (await broken()).map(({ name, broken }) => {
        const isStage = names.has(name);
        const code = isStage ? 'queue.broken-stage' : 'queue.broken';
        const reason = sayAlert(code, { queue: name, why: broken ?? '' });
        return { entity: name, reason, details: { queue: name, stage: isStage } };
      });
    },
  };

  async function mend(name: string): Promise<void> {
    if (await stages.mend(name)) return;
    await broker.declare(name, { keepIfRefused: true }).catch((error: unknown) => {
      if (!hasCode(error, 'conflict')) throw error;
    });
  }
}
