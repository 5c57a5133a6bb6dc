import { admin } from './admin/house.ts';
import { engine } from './engine/house.ts';
import type { House } from './house.ts';
import { transcription } from './transcription/house.ts';
import { work } from './work/house.ts';

/** The parts of the console, in the order of the rail. No other file names them. */
export const houses: readonly House[] = [
  // One line for each.
  work,
  transcription,
  engine,
  admin,
];
