import { inThread } from '../../engine/process/in-thread.ts';
import type { Comparison } from './compare.ts';
import type { Normalisation } from './symbols.ts';

export interface TextsToCompare {
  pages: readonly { name: string; truth: string; found: string }[];
  normalisation: Normalisation;
}

export interface ComparedPage extends Comparison {
  name: string;
}

const memoryMb = 512;

/** Compares texts in a thread of its own, which ends with the signal. */
export function compareApart(texts: TextsToCompare, signal: AbortSignal): Promise<ComparedPage[]> {
  return inThread(new URL('./compare-thread.ts', import.meta.url), texts, { signal, memoryMb });
}
