import { sayAlert } from '../../alert/sentences.ts';
import type { Ports } from '../../ports/ports.ts';
import { listWorkers } from '../../worker/worker-record.ts';
import type { Check, Finding } from './check.ts';

/** Stages that a worker could not load: a wrong path, a syntax error, a configuration that the processor refuses. */
export function brokenStages({ coordination }: Pick<Ports, 'coordination'>): Check {
  return {
    kind: 'stage.broken',
    async look() {
      const findings = new Map<string, Finding>();
      for (const { record, presence } of await listWorkers(coordination)) {
        for (const [stage, reason] of Object.entries(presence?.unable ?? {})) {
          const details = { stage, worker: record.id };
          findings.set(stage, {
            entity: stage,
            reason: sayAlert('stage.broken', { stage, why: reason }),
            details,
          });
        }
      }
      return [...findings.values()];
    },
  };
}
