/** The first of Tesseract's languages, e.g. `deu` of `deu_latf+ces`. */
export function firstLanguage(languages: string | undefined): string | undefined {
  return languages === undefined ? undefined : /^[a-z]{3}(?![a-z])/.exec(languages)?.[0];
}

/** The language tag for HTML: `cs` for `ces`. */
export function languageTag(languages: string | undefined): string | undefined {
  const code = firstLanguage(languages);
  return code === undefined ? undefined : Intl.getCanonicalLocales(code)[0];
}

/** The name in PAGE's closed list of languages; undefined if we don't know it. */
export function languageName(languages: string | undefined): string | undefined {
  return names[firstLanguage(languages) ?? ''];
}

const names: Readonly<Record<string, string>> = {
  bul: 'Bulgarian',
  ces: 'Czech',
  dan: 'Danish',
  deu: 'German',
  ell: 'Greek',
  eng: 'English',
  est: 'Estonian',
  fin: 'Finnish',
  fra: 'French',
  heb: 'Hebrew',
  hrv: 'Croatian',
  hun: 'Hungarian',
  ita: 'Italian',
  lat: 'Latin',
  lav: 'Latvian',
  lit: 'Lithuanian',
  nld: 'Dutch',
  nor: 'Norwegian',
  pol: 'Polish',
  por: 'Portuguese',
  ron: 'Romanian',
  rus: 'Russian',
  slk: 'Slovak',
  slv: 'Slovene',
  spa: 'Spanish',
  srp: 'Serbian',
  swe: 'Swedish',
  tur: 'Turkish',
  ukr: 'Ukrainian',
  yid: 'Yiddish',
};
