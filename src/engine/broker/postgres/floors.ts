/** What a search in one queue found: how many messages, and the last place in each lane. */
export interface Found {
  count: number;
  high: number | null;
  normal: number | null;
}

/** A search under way, and where it begins in each lane. */
export interface Search {
  queue: string;
  high: number;
  normal: number;
  /** The first message that became ready meanwhile. */
  cameAt: number;
  isComplete: boolean;
}

interface Floor {
  high: number;
  normal: number;
  /** When the last complete search ended, and how long there shall be none. */
  searchedAt: number;
  restMs: number;
  isDue: boolean;
}

/** The part of the time that complete searches may take, and how long they may be put off at most. */
const share = 50;
const mostRestMs = 600_000;

/**
 * Where to look for the ready messages of each queue: none that this process could claim has a lower place in its lane. Without this,
 * every claim would step over all messages deleted since the oldest open transaction began, even a stranger's.
 *
 * A floor is raised by a search that has been there, and lowered when a message becomes ready below it: we hear of these from our own
 * calls, and of others' by notices that name the first place. Nobody tells of a message whose claim was rolled back or
 * lost its answer; complete searches find it.
 */
export class Floors {
  readonly #floors = new Map<string, Floor>();
  readonly #searches = new Set<Search>();

  /** Messages of the queue became ready, none of them before `place`. */
  lower(queue: string, place: number): void {
    const floor = this.#of(queue);
    floor.high = Math.min(floor.high, place);
    floor.normal = Math.min(floor.normal, place);
    for (const search of this.#searches)
      if (search.queue === queue) search.cameAt = Math.min(search.cameAt, place);
  }

  /** We may have missed something. */
  forget(): void {
    for (const queue of this.#floors.keys()) this.lower(queue, 0);
  }

  /** The next search begins at zero, unless such searches take too much of the time. The clock may have been set. */
  review(now: number): void {
    for (const floor of this.#floors.values()) floor.isDue = Math.abs(now - floor.searchedAt) >= floor.restMs;
  }

  /** Queues, and the floors of their lanes. */
  columns(): [string[], number[], number[]] {
    const floors = [...this.#floors.values()];
    return [[...this.#floors.keys()], floors.map(({ high }) => high), floors.map(({ normal }) => normal)];
  }

  /** `isForAll`: it looks for messages of both lanes and all owners. Others would miss some, and must not pass for a complete one. */
  begin(queue: string, isForAll: boolean): Search {
    const floor = this.#of(queue);
    const isComplete = isForAll && floor.isDue;
    const { high, normal } = isComplete ? { high: 0, normal: 0 } : floor;
    const search = { queue, high, normal, cameAt: Number.POSITIVE_INFINITY, isComplete };
    this.#searches.add(search);
    return search;
  }

  /** `found` is undefined if there was no answer, or not of every message. `last` is the last place given before the search. */
  end(
    search: Search,
    found: Found | undefined,
    {
      most,
      onlyHigh,
      last,
      tookMs,
      now,
    }: { most: number; onlyHigh: boolean; last: number; tookMs: number; now: number },
  ): void {
    this.#searches.delete(search);
    const floor = this.#of(search.queue);
    if (search.isComplete) {
      floor.isDue = false;
      floor.searchedAt = now;
      floor.restMs = Math.min(share * tookMs, mostRestMs);
    }
    if (!found) return;
    const isAll = found.count < most;
    const after = (place: number | null) => (place === null ? undefined : place + 1);
    const high = isAll || found.normal !== null ? last + 1 : after(found.high);
    const normal = onlyHigh ? undefined : isAll ? last + 1 : after(found.normal);
    if (high !== undefined) floor.high = Math.min(high, search.cameAt);
    if (normal !== undefined) floor.normal = Math.min(normal, search.cameAt);
  }

  #of(queue: string) {
    const known = this.#floors.get(queue);
    const floor = known ?? { high: 0, normal: 0, searchedAt: 0, restMs: 0, isDue: false };
    this.#floors.set(queue, floor);
    return floor;
  }
}
