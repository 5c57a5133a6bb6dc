import type { Page, Word } from '../page/page.ts';
import { hyphenated } from '../text/hyphenation.ts';
import { divideWord } from './apply-rules.ts';
import type { Dictionary } from './dictionary.ts';

/** Corrects unknown words that the recogniser was unsure of; returns the number of changes. */
export function applyDictionary(page: Page, dictionary: Dictionary, certain: number): number {
  let changes = 0;
  for (const word of wholeWords(page)) {
    if ((word.confidence ?? 0) >= certain) continue;
    const { before, core, after } = divideWord(word.text);
    const correction = dictionary.correction(core);
    if (correction === undefined) continue;
    word.text = before + correction + after;
    changes += 1;
  }
  return changes;
}

/** All words except the halves of words hyphenated across lines. */
function wholeWords(page: Page): Word[] {
  const paragraphs = page.regions.flatMap((region) => region.paragraphs);
  return paragraphs.flatMap(({ lines }) => {
    const hyphens = hyphenated(lines);
    return lines.flatMap((line, index) =>
      line.words.slice(hyphens[index - 1] ? 1 : 0, hyphens[index] ? -1 : undefined),
    );
  });
}
