/** What programs may import as `pismak/robot`. */
export { robot } from './house.ts';
export { checkRequests, type SeenRequest, type Violation } from './politeness/check-requests.ts';
export { type Rules, strictest } from './politeness/rules.ts';
export * from './text/index.ts';
