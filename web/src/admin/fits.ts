/** Whether each typed word is in one of the texts, whatever its case and accents. */
export function fits(wanted: string, ...texts: readonly string[]): boolean {
  const all = plain(texts.join('\n'));
  return plain(wanted)
    .split(/\s+/)
    .every((word) => all.includes(word));
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
