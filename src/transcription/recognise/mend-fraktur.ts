import type { Page } from '../page/page.ts';

/**
 * Fraktur models write `<` for ch, `>` for ck and `{` or `\` for a long s, which never occur inside a word. This restores the
 * letters, in words only.
 */
export function mendFraktur(page: Page, language: string): Page {
  if (!isFraktur(language)) return page;
  for (const region of page.regions) {
    for (const { lines } of region.paragraphs) {
      for (const { words } of lines) for (const word of words) word.text = mendWord(word.text);
    }
  }
  return page;
}

/** Whether one of the languages is a model for Fraktur. */
export function isFraktur(language: string): boolean {
  return language.split('+').some((name) => models.test(name));
}

const models = /^(?:script\/)?Fraktur$|^frk$|^deu_(?:frak|latf)$/;

export function mendWord(text: string): string {
  if (!/[<>{\\]/.test(text) || (text.match(/\p{L}/gu)?.length ?? 0) < 2) return text;
  return (
    text
      // A sch that was read as little more than its s: ſ{hwer, {wer, \\<wer. A run of braces is tried at its first place only.
      .replaceAll(/ſ[{\\]+<?h?|(?<!\p{L})(?<!(?<!\p{L})[{\\])[{\\]+(?:<h?|h(?=\p{L})|(?=[lmnrw]))/gu, 'ſch')
      .replaceAll(/[{\\](?=\p{Ll})/gu, 'ſ')
      .replaceAll(/(?<=\p{L})c?<h?|^<h?(?=\p{Ll})/gu, 'ch')
      .replaceAll(/(?<=\p{L})d?>k?/gu, 'ck')
  );
}
