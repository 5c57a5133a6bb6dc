import type { Event } from '../event/event.ts';

/**
 * What the watchdog saw from one moment to another, as events. Contiguous periods join exactly (`since` = the previous
 * `until`); nothing is known about any other time.
 */
export interface TracePeriod {
  since: number;
  until: number;
  /** Whether it starts with the complete state, so that reading can start here. */
  whole: boolean;
  events: TraceEvent[];
}

export type TraceEvent = Required<Pick<Event, 'kind' | 'entity' | 'at' | 'dimensions'>>;
