import type { House } from './engine/house.ts';
import { transcription } from './transcription/house.ts';

/** The houses of this installation. This is the only file outside their folders that names them. */
export const houses: readonly House[] = [transcription];
