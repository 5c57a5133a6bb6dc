import type { Broker } from '../../broker/broker.ts';
import type { Clock } from '../../time/clock.ts';
import type { Check } from './check.ts';

/** An alert about dead letters ends when none has come for this long. */
const quietMs = 600_000;
const shownMessages = 5;

interface Growth {
  dead: number;
  /** How many there were when it began to grow. */
  before: number;
  grownAt: number;
}

/** Queues whose dead letters have grown recently. Those found at the first look are old news. */
export function growingDeadLetters({ broker, clock }: { broker: Broker; clock: Clock }): Check {
  let known: Map<string, Growth> | undefined;

  function growth(name: string, dead: number, now: number): Growth {
    const last = known?.get(name) ?? { dead: known ? 0 : dead, before: 0, grownAt: Number.NEGATIVE_INFINITY };
    if (dead <= last.dead) return { ...last, dead, before: Math.min(last.before, dead) };
    return { dead, before: isGrowing(last, now) ? last.before : last.dead, grownAt: now };
  }

  return {
    kind: 'queue.dead-letters',
    async look() {
      const now = clock.now();
      const queues = await broker.status();
      known = new Map(queues.map(({ name, dead }) => [name, growth(name, dead, now)]));
      const growing = [...known].filter(([, each]) => isGrowing(each, now));
      return Promise.all(
        growing.map(async ([queue, { dead, before }]) => {
          const latest = await broker.dead(queue, {
            offset: Math.max(0, dead - shownMessages),
            limit: shownMessages,
          });
          const messages = latest.map(({ id, history }) => ({ id, reason: history.at(-1)?.reason ?? '' }));
          const reason = `${dead - before} more dead letters in queue ${queue}, ${dead} in total; \`pismak queue dead ${queue}\` shows why`;
          return { entity: queue, reason, details: { queue, dead, more: dead - before, messages } };
        }),
      );
    },
  };
}

function isGrowing({ dead, grownAt }: Growth, now: number): boolean {
  return dead > 0 && now - grownAt < quietMs;
}
