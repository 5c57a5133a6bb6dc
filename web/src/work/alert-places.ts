/** Where the cause of an alert is looked after, below /console/, by the beginning of its kind; the longest wins. */
const places: Readonly<Record<string, (entity: string) => string>> = {
  'account.': (entity) =>
    `admin/audit?operation=session.login${named(entity) ? `&owner=${encodeURIComponent(entity)}` : ''}`,
  'address.': () => 'admin/audit?operation=session.login',
  'backlog.': queue,
  'clock.': () => 'admin/health',
  'disk.': () => 'admin/health',
  'mail.': () => 'mail/campaigns',
  'outbox.': queue,
  'queue.': queue,
  'robot.': () => 'robot/crawls',
  'schedule.': (entity) => `engine/schedules/${encodeURIComponent(entity)}`,
  'stage.': (entity) => `engine/stages/${encodeURIComponent(entity)}`,
  'store.': () => 'admin/health',
  'worker.': (entity) => `engine/workers/${encodeURIComponent(entity)}`,
};

function queue(entity: string): string {
  return `engine/queues/${encodeURIComponent(entity)}`;
}

/** `(many)` stands for more accounts or addresses than are told one by one. */
const named = (entity: string) => !entity.startsWith('(');

/** The place of the cause, or undefined where the console has none. */
export function placeOf(kind: string, entity: string): string | undefined {
  const beginning = Object.keys(places)
    .filter((one) => kind.startsWith(one))
    .toSorted((a, b) => b.length - a.length)[0];
  return beginning === undefined ? undefined : places[beginning]?.(entity);
}

/** Whether somebody still has to look at it: not after a colleague has said so, nor while it is muted. */
export function isUnattended(
  alert: { clearedAt: number | null; acknowledgedBy: string | null; mutedUntil: number | null },
  now: number,
): boolean {
  return alert.clearedAt === null && alert.acknowledgedBy === null && (alert.mutedUntil ?? 0) <= now;
}
