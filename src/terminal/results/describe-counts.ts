import type { SaveOutcome } from '../../engine/results/result-directory.ts';

export function describeCounts(counts: Readonly<Record<SaveOutcome, number>>): string {
  const parts = [`${counts.saved} saved`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed (see their log.txt)`);
  if (counts.duplicate > 0) parts.push(`${counts.duplicate} duplicates dropped`);
  if (counts.unreadable > 0) parts.push(`${counts.unreadable} unreadable`);
  return parts.join(', ');
}
