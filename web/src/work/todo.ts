import { call } from '../api/call.ts';
import type { TodoKind } from '../house.ts';
import { shellWords } from '../shell/words.ts';
import { kept } from '../text/preferences.svelte.ts';
import { sayIn } from '../text/say.ts';
import { isUnattended } from './alert-places.ts';
import { byCause } from './request-filter.ts';
import { words } from './words.ts';

/** Alerts that nobody looks after yet; then failures that this person has not seen, by their cause. */
export const todo: readonly TodoKind[] = [
  {
    name: 'alerts',
    title: { en: 'Alerts', cs: 'Výstrahy' },
    needs: 'alert.ls',
    async read(limit) {
      const { alerts } = await call('alert.ls', {});
      const waiting = alerts.filter((alert) => isUnattended(alert, Date.now()));
      const items = waiting.slice(0, limit).map(({ id, kind, entity, reason, sentence, raisedAt }) => ({
        key: id,
        state: 'warning' as const,
        title: sayIn(shellWords.t.server, { message: reason, sentence }),
        detail: `${kind} · ${entity}`,
        path: `todo/alerts/${id}`,
        since: raisedAt,
      }));
      return { count: waiting.length, items };
    },
  },
  {
    name: 'failed',
    title: { en: 'Failed requests', cs: 'Nezdařené požadavky' },
    needs: 'request.failed',
    async read(limit) {
      // Whole hours: the audit log counts equal reads as one entry.
      const yesterday = Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000;
      const since = Math.max(Number(kept('failed-seen') ?? 0), yesterday);
      const [{ requests }] = await Promise.all([
        call('request.failed', { since, limit: 200 }),
        words.ready(),
      ]);
      const causes = byCause(requests);
      const items = causes.slice(0, limit).map(({ stage, reason, count, lastAt }) => ({
        key: `${stage} ${reason}`,
        state: 'failed' as const,
        title: reason,
        detail: words.t.failed.inStage(stage, count),
        path: `todo/requests?${new URLSearchParams({ stage, reason: reason.slice(0, 200) })}`,
        since: lastAt,
      }));
      return { count: causes.length, items };
    },
  },
];
