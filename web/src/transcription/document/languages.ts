/** What Pismak reads by itself; the server says which others are installed when it refuses one. */
export const ownLanguages = ['auto', 'ces', 'slk', 'deu', 'eng', 'fra', 'lat', 'Fraktur', 'ces+deu'] as const;

export const formats = ['txt', 'page', 'alto', 'hocr', 'pdf', 'json', 'tsv'] as const;
export type Format = (typeof formats)[number];

/** The names of languages in the person's language: `ces+deu` is Czech + German. Unknown models keep their names. */
export function languageName(code: string, language: string): string {
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
  return code
    .split('+')
    .map((one) => (/^[a-z]{3}$/.test(one) ? capital(names.of(one), language) : undefined) ?? one)
    .join(' + ');
}

const capital = (text: string | undefined, language: string) =>
  text && text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
