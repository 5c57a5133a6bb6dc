import type { Logger } from 'pino';
import type { Database, Queries } from '../database/database.ts';
import type { ChangeLog } from '../event/change-log.ts';
import type { Events } from '../event/event.ts';
import { hasCode, messageOf, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Sentence } from '../ground/sentence.ts';
import type { Clock } from '../time/clock.ts';
import { withDeadline } from '../time/deadline.ts';
import {
  type Alert,
  findAlert,
  findOpen,
  insertAlert,
  listAlerts,
  trimAlerts,
  updateAlert,
} from './alert-rows.ts';

export type { Alert } from './alert-rows.ts';

export interface Alerts {
  /**
   * Reports a problem, new or continuing. Raising it again keeps one alert, which is announced again every `repeatMs`. Never
   * throws, and works without the database: then the alert is logged and kept in memory.
   */
  raise(kind: string, entity: string, reason: string | Sentence, details?: Alert['details']): Promise<void>;
  /** Ends the alert. Does nothing if it is not open. */
  clear(kind: string, entity: string): Promise<void>;
  /** Records that somebody looks after an open alert, with what they say about it. */
  acknowledge(id: string, by: string, note: string | null): Promise<Alert>;
  /**
   * Notifies nobody about an open alert until that time; null: notifies again. Its end is still told: whoever was notified of its
   * beginning waits for it.
   */
  mute(id: string, by: string, until: number | null): Promise<Alert>;
  /** The open alerts, newest first; with `all`, ended ones too. */
  list(options?: { all?: boolean }): Promise<Alert[]>;
}

export interface AlertNotice {
  event: 'alert.raised' | 'alert.repeated' | 'alert.cleared';
  at: number;
  alert: Alert;
}

/** Called in the transaction that stores the alert: messages added to the outbox there are sent if, and only if, it commits. */
export type AlertSubscriber = (transaction: Queries, notice: AlertNotice) => Promise<void>;

type News = Pick<Alert, 'kind' | 'entity' | 'reason' | 'sentence' | 'details'>;

/** A store that does not answer within this time counts as down. */
const storeTimeoutMs = 5000;

export function createAlerts(parts: {
  database: Database;
  clock: Clock;
  changes: ChangeLog;
  events: Events;
  log: Logger;
  /** How often a lasting alert is repeated. */
  repeatMs: number;
  subscribers: readonly AlertSubscriber[];
  /** Called when subscribers may have put messages into the outbox. */
  wakeOutbox(): void;
  /** The clock that decides when old alerts are deleted; `clock` by default. */
  retentionNow?(): number;
}): Alerts {
  const { database, clock, changes, events, log, repeatMs } = parts;
  /** Alerts that could not be stored, by kind and entity. */
  const unstored = new Map<string, Alert>();

  function tell({ event, at, alert }: AlertNotice): void {
    const { id, kind, entity, reason, details } = alert;
    const level = event === 'alert.cleared' ? 'info' : 'warn';
    log[level]({ event, alert: id, kind, entity, details }, `${event}: ${reason}`);
    events.emit({ kind: event, entity, at, dimensions: { alert: kind } });
    // Everybody learns that there is news. `alert.ls` decides who may read it.
    changes.add({ kind: 'alert', entity: id, data: { event } });
  }

  /** The alert after raising, based on the open alert if any. It is announced unless it was announced recently. */
  function raised(open: Alert | undefined, now: number, news: News) {
    const event = open ? 'alert.repeated' : 'alert.raised';
    const alert: Alert = {
      ...(open ?? { id: newId(clock), raisedAt: now, clearedAt: null, seen: 0, ...untouched }),
      ...news,
      lastSeenAt: now,
      seen: (open?.seen ?? 0) + 1,
    };
    const timesTold = (at: number) => Math.floor((at - alert.raisedAt) / Math.max(1, repeatMs));
    const isMuted = (alert.mutedUntil ?? 0) > now;
    const isDue = !open || (!isMuted && timesTold(now) > timesTold(open.lastSeenAt));
    return { alert, notice: isDue ? ({ event, at: now, alert } satisfies AlertNotice) : undefined };
  }

  function inTransaction<T>(work: (transaction: Queries) => Promise<T>): Promise<T> {
    return inTime(clock, database.transaction(work));
  }

  async function notify(transaction: Queries, notice: AlertNotice): Promise<void> {
    for (const subscriber of parts.subscribers) await subscriber(transaction, notice);
  }

  async function storeRaised(news: News): Promise<AlertNotice | undefined> {
    const key = keyOf(news);
    return inTransaction(async (transaction) => {
      const open = await findOpen(transaction, news.kind, news.entity);
      const { alert, notice } = raised(open ?? unstored.get(key), clock.now(), news);
      if (open) await updateAlert(transaction, alert);
      else await insertAlert(transaction, alert);
      // An alert that could not be stored was only logged.
      const late = !open && unstored.has(key);
      if (late) await notify(transaction, { event: 'alert.raised', at: alert.raisedAt, alert });
      else if (notice) await notify(transaction, notice);
      return notice;
    });
  }

  /** What a person does about an open alert. */
  async function look(
    id: string,
    what: 'acknowledged' | 'muted' | 'unmuted',
    change: (at: number) => Partial<Alert>,
  ): Promise<Alert> {
    const alert = await inTransaction(async (transaction) => {
      const open = await findAlert(transaction, id);
      if (!open) throw new PismakError('not-found', sayRefusal('unknown.alert', { alert: id }));
      if (open.clearedAt !== null) throw new PismakError('conflict', sayRefusal('conflict.alert-ended', {}));
      const looked = { ...open, ...change(clock.now()) };
      await updateAlert(transaction, looked);
      return looked;
    });
    changes.add({ kind: 'alert', entity: id, data: { event: `alert.${what}` } });
    return alert;
  }

  return {
    async raise(kind, entity, text, details = {}) {
      const news = { kind, entity, ...reasonOf(text), details };
      const key = keyOf(news);
      try {
        const notice = await storeRaised(news).catch((error: unknown) => {
          // Another process raised the same alert first: update that one.
          if (hasCode(error, 'constraint-violated')) return storeRaised(news);
          throw error;
        });
        unstored.delete(key);
        if (!notice) return;
        tell(notice);
        parts.wakeOutbox();
      } catch (error) {
        const { alert, notice } = raised(unstored.get(key), clock.now(), news);
        unstored.set(key, alert);
        log.error(
          { kind, entity, error: messageOf(error) },
          'an alert could not be stored; it is kept in memory',
        );
        if (notice) tell(notice);
      }
    },

    async clear(kind, entity) {
      const key = keyOf({ kind, entity });
      const kept = unstored.get(key);
      const at = clock.now();
      try {
        // Ask without a transaction first: usually there is nothing to clear.
        if (!kept && !(await inTime(clock, findOpen(database.query, kind, entity)))) return;
        const alert = await inTransaction(async (transaction) => {
          const open = await findOpen(transaction, kind, entity);
          const over = open ?? kept;
          if (!over) return undefined;
          const cleared: Alert = { ...over, clearedAt: at };
          await (open ? updateAlert : insertAlert)(transaction, cleared);
          await notify(transaction, { event: 'alert.cleared', at, alert: cleared });
          await trimAlerts(transaction, parts.retentionNow?.() ?? at);
          return cleared;
        });
        if (!alert) return;
        unstored.delete(key);
        tell({ event: 'alert.cleared', at, alert });
        parts.wakeOutbox();
      } catch (error) {
        log.error({ kind, entity, error: messageOf(error) }, 'an ended alert could not be cleared yet');
        if (!kept) return;
        unstored.delete(key);
        tell({ event: 'alert.cleared', at, alert: { ...kept, clearedAt: at } });
      }
    },

    acknowledge: (id, by, note) =>
      look(id, 'acknowledged', (at) => ({ acknowledgedBy: by, acknowledgedAt: at, note })),

    mute: (id, by, until) =>
      look(id, until === null ? 'unmuted' : 'muted', () => ({
        mutedUntil: until,
        mutedBy: until === null ? null : by,
      })),

    async list(options) {
      const stored = await inTime(clock, listAlerts(database.query, options)).catch(() => []);
      return [...unstored.values(), ...stored];
    },
  };
}

/** Nobody has looked at a new alert yet. */
const untouched = {
  acknowledgedBy: null,
  acknowledgedAt: null,
  note: null,
  mutedUntil: null,
  mutedBy: null,
} as const;

function reasonOf(text: string | Sentence): Pick<Alert, 'reason' | 'sentence'> {
  if (typeof text === 'string') return { reason: text, sentence: null };
  const { code, parameters, message } = text;
  return { reason: message, sentence: { code, parameters } };
}

function keyOf({ kind, entity }: { kind: string; entity: string }): string {
  return JSON.stringify([kind, entity]);
}

function inTime<T>(clock: Clock, answer: Promise<T>): Promise<T> {
  return withDeadline(clock, storeTimeoutMs, answer, () => {
    throw new PismakError('unavailable', `the database did not answer within ${storeTimeoutMs} ms`);
  });
}
