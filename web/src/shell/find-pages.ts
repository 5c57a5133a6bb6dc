/** Without accents and in small letters, so that "cinnost" finds "Činnost". */
export function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The pages that have all of these words in a name, in either language; those that begin with them first. */
export function findPages<Page extends { title: string; detail?: string; also: readonly string[] }>(
  pages: readonly Page[],
  words: string,
): Page[] {
  const wanted = plain(words).split(' ').filter(Boolean);
  const scored = pages.flatMap((page) => {
    const names = plain([page.title, ...page.also, page.detail ?? ''].join(' '));
    if (!wanted.every((word) => names.includes(word))) return [];
    return [{ page, first: plain(page.title).startsWith(wanted[0] ?? '') ? 0 : 1 }];
  });
  return scored.toSorted((a, b) => a.first - b.first).map(({ page }) => page);
}
