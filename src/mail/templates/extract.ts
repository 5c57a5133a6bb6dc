import { setImmediate } from 'node:timers/promises';
import type { MailType } from '../model/mail-type.ts';
import { liquidTags } from './liquid-tags.ts';

/** A translatable text of a template. */
export interface TranslatableText {
  text: string;
  /** The plural in the template's own language, if the text depends on a number. */
  plural?: string | undefined;
  /** `order:12`, `order/subject:1` */
  places: string[];
  /** The line of its first occurrence. */
  context: string;
}

const contextEachSide = 150;
const translated = /(['"])((?:(?!\1)[\s\S])*)\1\s*\|\s*t\b(?:\s*:\s*(['"])((?:(?!\3)[\s\S])*)\3)?/g;

/** All texts of `{{ 'text' | t }}` with their lines, each text once. */
export async function extractTexts(
  types: readonly Pick<MailType, 'code' | 'template' | 'text' | 'subject'>[],
): Promise<TranslatableText[]> {
  const found = new Map<string, TranslatableText>();
  for (const { code, template, text, subject } of types) {
    const parts = [
      [code, template],
      [`${code}/text`, text ?? ''],
      [`${code}/subject`, subject],
    ] as const;
    // Others may use the thread between two types.
    await setImmediate();
    for (const [place, source] of parts) {
      let line = 1;
      let counted = 0;
      for (const { text: whole, index } of liquidTags(source)) {
        for (const match of whole.matchAll(translated)) {
          const [, , original = '', , plural] = match;
          const at = index + match.index;
          for (; counted < at; counted++) if (source[counted] === '\n') line++;
          const context = around(source, at);
          const known = found.get(original) ?? { text: original, plural, places: [], context };
          known.plural ??= plural;
          known.places.push(`${place}:${line}`);
          found.set(original, known);
        }
      }
    }
  }
  return [...found.values()];
}

function around(source: string, at: number): string {
  const begin = Math.max(source.lastIndexOf('\n', at) + 1, at - contextEachSide);
  return (
    source
      .slice(begin, at + contextEachSide)
      .split('\n', 1)[0]
      ?.trim() ?? ''
  );
}
