import type { NavEntry } from '../house.ts';

/** `G` and a letter goes to a place of the rail: the first letter of its English name that is free. */
export function goKeys(entries: readonly NavEntry[]): { key: string; entry: NavEntry }[] {
  const taken = new Set<string>();
  return entries.flatMap((entry) => {
    const key = [...entry.label.en.toLowerCase()].find(
      (letter) => /[a-z]/.test(letter) && !taken.has(letter),
    );
    if (key === undefined) return [];
    taken.add(key);
    return [{ key, entry }];
  });
}
