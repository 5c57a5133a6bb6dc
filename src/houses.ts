import type { House } from './engine/house.ts';

/** The houses of this installation, one line each. No other file outside their folders names them. */
export const houses: readonly House[] = [(await import('./transcription/house.ts')).transcription];
