import { createContext, Script } from 'node:vm';
import type { Page, Word } from '../page/page.ts';
import type { Rule } from './rules.ts';

export interface RuleChanges {
  changes: number;
  /** Rules that took too long on this page; none of their changes were made. */
  tooSlow: Rule[];
}

/** Changes the texts of words in place, not their boxes. Applies rules in order. */
export function applyRules(page: Page, rules: readonly Rule[], timeLimitMs: number): RuleChanges {
  const words = wordsOf(page);
  const tooSlow: Rule[] = [];
  let changes = 0;
  for (let at = 0; at < rules.length; ) {
    const rule = rules[at];
    if (rule === undefined) break;
    if ('pattern' in rule) {
      const changed = applyPattern(words, rule, timeLimitMs);
      if (changed === undefined) tooSlow.push(rule);
      changes += changed ?? 0;
      at += 1;
    } else {
      // Look up consecutive whole-word rules together, because lists of them may be long.
      const end = rules.findIndex((other, index) => index > at && 'pattern' in other);
      const group = rules.slice(at, end < 0 ? undefined : end);
      changes += replaceWords(words, group);
      at += group.length;
    }
  }
  return { changes, tooSlow };
}

export function wordsOf(page: Page): Word[] {
  return page.regions.flatMap((region) =>
    region.paragraphs.flatMap((paragraph) => paragraph.lines.flatMap((line) => line.words)),
  );
}

/** The word itself, without the punctuation around it. */
export function divideWord(text: string): { before: string; core: string; after: string } {
  const [before = ''] = /^[\p{P}\p{S}]+/u.exec(text) ?? [];
  const rest = text.slice(before.length);
  const [after = ''] = /(?<![\p{P}\p{S}])[\p{P}\p{S}]+$/u.exec(rest) ?? [];
  return { before, core: rest.slice(0, rest.length - after.length), after };
}

function applyPattern(
  words: readonly Word[],
  rule: Rule & { pattern: RegExp },
  timeLimitMs: number,
): number | undefined {
  const texts: string[] = [];
  const inTime = endsWithin(timeLimitMs, () => {
    for (const word of words) texts.push(word.text.replaceAll(rule.pattern, rule.replacement));
  });
  return inTime ? setTexts(words, (_, index) => texts[index]) : undefined;
}

function replaceWords(words: readonly Word[], rules: readonly Rule[]): number {
  const replacements = new Map<string, string>();
  for (const rule of rules) if ('word' in rule) replacements.set(rule.word, rule.replacement);
  return setTexts(words, ({ text }) => {
    const whole = replacements.get(text);
    if (whole !== undefined) return whole;
    const { before, core, after } = divideWord(text);
    const replacement = replacements.get(core);
    return replacement === undefined ? text : before + replacement + after;
  });
}

function setTexts(words: readonly Word[], textOf: (word: Word, index: number) => string | undefined): number {
  let changes = 0;
  for (const [index, word] of words.entries()) {
    const text = textOf(word, index) ?? word.text;
    if (text !== word.text) changes += 1;
    word.text = text;
  }
  return changes;
}

const script = new Script('work()');
const context = createContext({ work: () => undefined as unknown });

/** Runs work that may never end, such as a backtracking regular expression; false if it timed out. */
function endsWithin(ms: number, work: () => void): boolean {
  context.work = work;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.round(ms)) });
    return true;
  } catch (error) {
    // `instanceof Error` fails here, because the error comes from another realm.
    const { code } = error as { code?: unknown };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
