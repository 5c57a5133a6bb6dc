/** A line `KEY = value` of a stage's configuration. */
export interface ConfigLine {
  /** Counted from 1. */
  number: number;
  /** As it was written. */
  key: string;
  value: string;
}

/**
 * Reads text with lines `KEY = value`.
 *
 * - `#` or `;` begins a comment at the start of a line or value, and after white space: `DPI = 300 # dots per inch`.
 *   Elsewhere it belongs to the value: `MODEL = c#`.
 * - A value in quotes, `"a #1.txt"` or `'a'`, is taken literally, without escapes.
 * - A section header like `[PARSER]` is skipped, because configurations written for PERO contain one.
 *
 * If `isVerbatim`, the value is the rest of the line, including quotes and `#`.
 */
export function readConfigLines(text: string, isVerbatim: (key: string) => boolean): ConfigLine[] {
  return text.split('\n').flatMap((raw, index) => {
    const number = index + 1;
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line) || /^\[.*\]$/.test(withoutComment(line))) return [];
    const [, key, rest = ''] = /^([A-Za-z][A-Za-z0-9_]*)\s*=\s*(\S.*)?$/.exec(line) ?? [];
    if (key === undefined) throw new Error(`line ${number}: expected KEY = value, found: ${line}`);
    return [{ number, key, value: isVerbatim(key) ? rest : readText(rest, number) }];
  });
}

function readText(text: string, number: number): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return withoutComment(text);
  const end = text.indexOf(quote, 1);
  if (end < 0) throw new Error(`line ${number}: the quote ${quote} is not closed`);
  const rest = text.slice(end + 1).trim();
  if (withoutComment(rest) !== '')
    throw new Error(`line ${number}: only a comment may follow the closing ${quote}, found: ${rest}`);
  return text.slice(1, end);
}

function withoutComment(text: string): string {
  return text.replace(/(^|\s)[#;].*/s, '').trim();
}
