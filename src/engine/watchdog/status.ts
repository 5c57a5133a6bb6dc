import { z } from 'zod';
import type { Coordination } from '../coordination/coordination.ts';
import { sentenceCode } from '../ground/sentence.ts';
import { type ServiceContext, servicePath } from '../service/service.ts';
import { averages } from './averages.ts';

const schema = z.object({
  lastPlanAt: z.number(),
  tookMs: z.number(),
  averages,
  /** Workers moved since this watchdog became leader. */
  moved: z.number(),
  /** The latest moves, newest first. */
  latest: z.array(
    z.object({
      at: z.number(),
      worker: z.string(),
      from: z.string().nullable(),
      to: z.string(),
      reason: z.string(),
      /** Missing in moves by an older version. */
      sentence: sentenceCode.optional(),
    }),
  ),
});
type Status = z.infer<typeof schema>;
export type Move = Status['latest'][number];
export type WatchdogStatus = Status & { leader: string };

const path = '/watchdog/status';
const latestMoves = 20;

/** The leader and its last moves; undefined if there is no leader. */
export async function watchdogStatus(coordination: Coordination): Promise<WatchdogStatus | undefined> {
  const [holder, node] = await Promise.all([
    coordination.holder(servicePath('watchdog')),
    coordination.get(path),
  ]);
  return holder && node ? { leader: holder.identity, ...schema.parse(JSON.parse(node.value)) } : undefined;
}

/** The leader's node in the tree. It is ephemeral, so it vanishes with the leader. */
export async function openStatus({ coordination, hold }: ServiceContext) {
  let status: Status = { lastPlanAt: 0, tookMs: 0, averages: {}, moved: 0, latest: [] };
  await coordination.delete(path, { under: hold });
  await coordination.create(path, JSON.stringify(status), { ephemeral: true });
  return async (round: Omit<Status, 'moved' | 'latest'> & { moves: readonly Move[] }): Promise<void> => {
    const { moves, ...rest } = round;
    const latest = [...moves.toReversed(), ...status.latest].slice(0, latestMoves);
    status = { ...rest, moved: status.moved + moves.length, latest };
    await coordination.set(path, JSON.stringify(status), { under: hold });
  };
}
