import type { Ports } from '../../ports/ports.ts';
import { handlingLimitMs, overLimit } from '../../stage/handling-limit.ts';
import type { Stages } from '../../stage/stages.ts';
import type { Check } from './check.ts';

/** Stages that may take too long for the broker, because it or its limit changed after they were created. */
export function slowStages({ stages, settings }: Pick<Ports, 'settings'> & { stages: Stages }): Check {
  return {
    kind: 'stage.too-slow',
    async look() {
      const limitMs = handlingLimitMs(settings);
      return (await stages.list()).flatMap((stage) => {
        const reason = overLimit(stage, limitMs);
        const details = { stage: stage.name, timeoutMs: stage.timeoutMs, limitMs };
        return reason ? [{ entity: stage.name, reason, details }] : [];
      });
    },
  };
}
