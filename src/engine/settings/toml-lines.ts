/**
 * Finds the line that sets each key of a TOML document, by its dotted path. The parser doesn't report lines, and our
 * messages need them. Reads only headers and keys at the beginning of a line.
 */
export function tomlLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  let section: string[] = [];
  let closing: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined;
      continue;
    }
    const header = headerLine.exec(line);
    const key = keyLine.exec(line);
    if (header) section = parts(header[1] ?? '');
    const path = header ? section : key && [...section, ...parts(key[1] ?? '')];
    if (path && !lines.has(path.join('.'))) lines.set(path.join('.'), index + 1);
    closing = key ? multilineEnd(key[2] ?? '') : undefined;
  }
  return lines;
}

/** The line of the path, or of the table that contains it. */
export function lineOf(lines: ReadonlyMap<string, number>, path: string): number | undefined {
  for (let known = path; known !== ''; known = known.slice(0, Math.max(0, known.lastIndexOf('.')))) {
    const line = lines.get(known);
    if (line !== undefined) return line;
  }
  return undefined;
}

const simpleKey = /[\w-]+|"[^"]*"|'[^']*'/g;
/** Keys with dots between them. */
const headerLine = /^\s*\[\[?\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*\]/;
const keyLine = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)/;

function parts(dotted: string): string[] {
  return [...dotted.matchAll(simpleKey)].map(([part]) => part.replaceAll(/^["']|["']$/g, ''));
}

/** The closing quotes to look for if a value opens a multi-line text. */
function multilineEnd(value: string): string | undefined {
  const [quotes] = /^\s*("""|''')/.exec(value) ?? [];
  if (quotes === undefined) return undefined;
  const mark = quotes.trim();
  return value.indexOf(mark, value.indexOf(mark) + 3) < 0 ? mark : undefined;
}
