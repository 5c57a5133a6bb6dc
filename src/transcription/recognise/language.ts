import { PermanentFailure } from '../../engine/processor/processor.ts';

/** The value that asks for guessing the language of each page. */
export const guessed = 'auto';

/** Tesseract language names joined with `+`; scripts may include their folder. */
export const languageNames = /^\w{2,30}(?:\/\w{2,30})?(?:\+\w{2,30}(?:\/\w{2,30})?){0,9}$/;

/** Refuses languages without a model. The language comes from outside and becomes an argument of a program. */
export function checkLanguage(language: string, known: readonly string[] | undefined): void {
  if (!languageNames.test(language))
    throw new PermanentFailure(`invalid language ${JSON.stringify(language)}; write it like ces or ces+deu`);
  const unknown = unknownLanguages(language, known);
  if (unknown.length === 0) return;
  throw new PermanentFailure(
    `there is no model for ${unknown.join(', ')} here; installed: ${known?.join(', ') || 'none'}`,
  );
}

export function unknownLanguages(language: string, known: readonly string[] | undefined): string[] {
  return language.split('+').filter((name) => known && !known.includes(name));
}

/** Returns the names of the installed models: Debian calls `script/Fraktur` `Fraktur`. */
export function installedNames(language: string, known: readonly string[] | undefined): string {
  const nameOf = (name: string) => {
    if (!known || known.includes(name)) return name;
    const other = name.startsWith('script/') ? name.slice('script/'.length) : `script/${name}`;
    return known.includes(other) ? other : name;
  };
  return language.split('+').map(nameOf).join('+');
}
