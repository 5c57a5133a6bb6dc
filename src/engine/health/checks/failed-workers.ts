import { sayAlert } from '../../alert/sentences.ts';
import type { Ports } from '../../ports/ports.ts';
import { listWorkers } from '../../worker/worker-record.ts';
import { type Check, Lasting } from './check.ts';

/** A worker whose process is restarting is not reported at once. */
const graceMs = 15_000;

/** Workers that failed at their stage, and those that vanished without a clean stop. */
export function failedWorkers({ coordination, clock }: Pick<Ports, 'coordination' | 'clock'>): Check {
  const missing = new Lasting();
  return {
    kind: 'worker.failed',
    async look() {
      const all = await listWorkers(coordination);
      const workers = all.filter(({ record }) => record.enabled && record.leftAt === null);
      const gone = workers.filter(({ presence }) => presence === null);
      const lasting = missing.keep(
        gone.map(({ record }) => record.id),
        clock.now(),
        graceMs,
      );
      return workers.flatMap(({ record, presence }) => {
        const { id, host, stage, failure } = record;
        const failed = failure !== null || presence?.state === 'FAILED';
        if (!failed && !lasting.has(id)) return [];
        const reason = failed
          ? sayAlert('worker.failed', { worker: id, why: failure ?? 'see its log' })
          : sayAlert('worker.vanished', { worker: id, host });
        return { entity: id, reason, details: { worker: id, host, stage } };
      });
    },
  };
}
