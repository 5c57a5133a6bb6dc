import type { House } from './engine/house.ts';

/** The houses of this installation. No other file outside their folders names them. */
export const houses: readonly House[] = [
  // One line for each.
  (await import('./transcription/house.ts')).transcription,
  (await import('./statistics/house.ts')).statistics,
  (await import('./mail/house.ts')).mail,
  (await import('./robot/house.ts')).robot,
];
