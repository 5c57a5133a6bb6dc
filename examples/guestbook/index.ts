/** What programs may import as `pismak/guestbook`. */
export { guestbook } from './house.ts';
