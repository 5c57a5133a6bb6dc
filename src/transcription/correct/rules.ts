import { messageOf } from '../../engine/ground/errors.ts';

/** One replacement, from a line like `teh => the` (a whole word) or `/([a-z])1/ => $1l` (any match in a word). */
export type Rule = { line: number; replacement: string } & ({ word: string } | { pattern: RegExp });

/** Lines with ` => ` are rules; `#` or `;` starts a comment. Throws errors meant for the administrator. */
export function parseRules(text: string): Rule[] {
  return text.split('\n').flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) return [];
    const rule = parseRule(line, index + 1);
    if (rule === undefined) throw new Error(`line ${index + 1}: expected WORD => WORD, found: ${line}`);
    return [rule];
  });
}

/** Undefined if the line is not a rule. */
export function parseRule(line: string, number: number): Rule | undefined {
  const arrow = line.search(/\s=>(?=\s|$)/);
  const left = line.slice(0, Math.max(0, arrow)).trim();
  if (left === '') return undefined;
  const replacement = line.slice(arrow + ' =>'.length);
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/.exec(left) ?? [];
  if (source === undefined) {
    if (/\s/.test(left)) throw new Error(`line ${number}: a rule replaces one word, found: ${left}`);
    return { line: number, word: left, replacement: replacement.trim() };
  }
  if (/[^ims]/.test(flags)) throw new Error(`line ${number}: unknown flag; known: i, m, s`);
  try {
    // linear: not known, a user wrote it; applyPattern ends it at the stage's TIME_LIMIT
    return { line: number, pattern: new RegExp(source, `gu${flags}`), replacement: replacement.trim() };
  } catch (error) {
    throw new Error(`line ${number}: ${messageOf(error)}`);
  }
}
