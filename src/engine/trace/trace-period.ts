import type { Event } from '../event/event.ts';

/**
 * What the watchdog saw from one moment to another, as events. Periods that follow each other without a break join up
 * exactly (`since` = the `until` before it): any other time is one of which nothing is known.
 */
export interface TracePeriod {
  since: number;
  until: number;
  /** It begins with everything that was then so: reading can start here. */
  whole: boolean;
  events: TraceEvent[];
}

export type TraceEvent = Required<Pick<Event, 'kind' | 'entity' | 'at' | 'dimensions'>>;
