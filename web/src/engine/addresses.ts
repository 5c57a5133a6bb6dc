/** An address of a page with those parts of the present query that the page keeps: filters of a list stay while its rows are opened. */
export function keeping(
  path: string,
  query: URLSearchParams,
  kept: readonly string[],
  set: Readonly<Record<string, string | undefined>> = {},
): string {
  const next = new URLSearchParams();
  for (const name of kept) {
    const value = query.get(name);
    if (value) next.set(name, value);
  }
  for (const [name, value] of Object.entries(set)) if (value) next.set(name, value);
  return next.size === 0 ? path : `${path}?${next}`;
}
