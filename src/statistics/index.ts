/** What programs may import as `pismak/statistics`. */
export {
  type Day,
  type DayRange,
  formatDay,
  type Granularity,
  parseDay,
  unitId,
  unitOf,
  unitsWithin,
} from './calendar/days.ts';
export { type ZoneDays, zoneDays } from './calendar/zone-days.ts';
export { statistics } from './house.ts';
export { type Cost, type PlannedPoint, planRange, planSeries, type Scan } from './plan/plan.ts';
export { type Filter, parseFilter } from './query/filter.ts';
export type { StatisticsStore } from './store/store.ts';
