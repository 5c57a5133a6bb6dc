import type { Input } from '../api/call.ts';

/** What the list of failed requests shows; the address holds it. */
export type RequestFilter = Omit<Input<'request.failed'>, 'offset' | 'limit' | 'since' | 'before'>;

export const periods = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
export type Period = keyof typeof periods;

export function requestFilterOf(query: URLSearchParams): RequestFilter {
  const of = (name: 'stage' | 'owner' | 'batch' | 'reason' | 'text') => {
    const value = query.get(name);
    return value ? { [name]: value } : {};
  };
  const outcome = query.get('outcome');
  return {
    ...of('stage'),
    ...of('owner'),
    ...of('batch'),
    ...of('reason'),
    ...of('text'),
    ...((outcome === 'dead' || outcome === 'output') && { outcome }),
  };
}

export function periodOf(query: URLSearchParams): Period {
  const period = query.get('period');
  return period === 'hour' || period === 'day' ? period : 'week';
}

/** The same filter for dead letters, which `queue.redrive` and `queue.discard` take; undefined if it says what they can't. */
export function deadLetterFilter({
  stage,
  owner,
  batch,
  reason,
  text,
  outcome,
}: RequestFilter): { queue: string; reason?: string; owner?: string; text?: string } | undefined {
  if (outcome !== 'dead' || stage === undefined || batch !== undefined) return undefined;
  return {
    queue: stage,
    ...(reason !== undefined && { reason }),
    ...(owner !== undefined && { owner }),
    ...(text !== undefined && { text }),
  };
}

/** The messages of dead letters by their queue, as `queue.redrive` takes them: at most 1,000 at once. */
export function lettersByQueue(
  requests: readonly { queue: string; message: string; outcome: string }[],
): { queue: string; ids: string[] }[] {
  const dead = requests.filter(({ outcome }) => outcome === 'dead');
  return [...Map.groupBy(dead, ({ queue }) => queue)].flatMap(([queue, members]) => {
    const ids = members.map(({ message }) => message);
    return Array.from({ length: Math.ceil(ids.length / 1000) }, (_, part) => ({
      queue,
      ids: ids.slice(part * 1000, (part + 1) * 1000),
    }));
  });
}

/** Failures with the same stage and cause, the most frequent first. */
export function byCause<Request extends { stage: string; reason: string; failedAt: number }>(
  requests: readonly Request[],
): { stage: string; reason: string; count: number; lastAt: number }[] {
  const causes = Map.groupBy(requests, ({ stage, reason }) => `${stage}\n${reason}`);
  return [...causes.values()]
    .map((members) => ({
      stage: members[0]?.stage ?? '',
      reason: members[0]?.reason ?? '',
      count: members.length,
      lastAt: Math.max(...members.map(({ failedAt }) => failedAt)),
    }))
    .toSorted((a, b) => b.count - a.count);
}
