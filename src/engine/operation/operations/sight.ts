import type { Event } from '../../event/event.ts';
import { mayTouch } from '../../ground/caller.ts';
import type { OperationContext } from '../operation.ts';

/** What a caller may see of the things that users and the installation share. */
export interface Sight {
  queue(name: string): boolean;
  alert(alert: { kind: string; entity: string }): boolean;
  event(event: Event): boolean;
}

/** Alerts and events about these nouns concern the installation; they name stages, workers, servers and schedules. */
const forAll = new Set(['stage', 'worker', 'store', 'disk', 'schedule']);
/** For these, the entity is a queue. */
const ofQueues = new Set(['queue', 'outbox', 'backlog']);

/**
 * Callers see their own things and those of the installation. Administrators see everything. Unknown kinds are
 * for administrators only, so that a new kind reveals nothing until somebody has thought about it.
 */
export async function sightOf({
  engine,
  caller,
}: Pick<OperationContext, 'engine' | 'caller'>): Promise<Sight> {
  const all = () => true;
  if (caller.role === 'admin') return { queue: all, alert: all, event: all };
  const [stages, outputs] = await Promise.all([
    engine.stages.list(),
    engine.database.query.selectFrom('outputQueue').select('name').where('owner', '=', caller.name).execute(),
  ]);
  const queues = new Set([...stages, ...outputs].map(({ name }) => name));
  const sight: Sight = {
    queue: (name) => queues.has(name),
    alert({ kind, entity }) {
      const noun = nounOf(kind);
      if (noun === 'account') return entity === caller.name;
      return ofQueues.has(noun) ? sight.queue(entity) : forAll.has(noun);
    },
    event({ kind, entity, user, dimensions }) {
      if (user !== undefined) return mayTouch(caller, user);
      const noun = nounOf(kind);
      if (noun === 'alert') return sight.alert({ kind: String(dimensions?.alert), entity });
      return ofQueues.has(noun) ? sight.queue(entity) : forAll.has(noun);
    },
  };
  return sight;
}

/** `queue.length` -> `queue` */
function nounOf(kind: string): string {
  return kind.split('.')[0] ?? '';
}
