import { call } from '../api/call.ts';
import type { TodoKind } from '../house.ts';

/** Open alerts. */
export const todo: readonly TodoKind[] = [
  {
    name: 'alerts',
    title: { en: 'Alerts', cs: 'Výstrahy' },
    needs: 'alert.ls',
    async read(limit) {
      const { alerts } = await call('alert.ls', {});
      const items = alerts.slice(0, limit).map(({ id, kind, entity, reason, raisedAt }) => ({
        key: id,
        state: 'warning' as const,
        title: reason,
        detail: `${kind} · ${entity}`,
        path: 'engine/queues',
        since: raisedAt,
      }));
      return { count: alerts.length, items };
    },
  },
];
