export const languages = ['en', 'cs'] as const;
export type Language = (typeof languages)[number];

/** A label that is needed before its house's catalogue is loaded. */
export type Both = Readonly<Record<Language, string>>;

/** Slovaks read Czech more easily than English. */
export function languageOf(tags: readonly string[]): Language {
  return tags.some((tag, index) => index < 2 && /^(cs|sk)\b/i.test(tag)) ? 'cs' : 'en';
}
