import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** By expression: `safe`, or why it is not. */
export type Verdicts = ReadonlyMap<string, string>;

export const safe = 'safe';
const file = join(import.meta.dirname, 'verdicts.json');

export function readVerdicts(): Verdicts {
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>));
}

/** One line each in the order of their texts, so that two branches seldom change the same line. */
export function writeVerdicts(verdicts: Verdicts): void {
  const sorted = [...verdicts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/**
 * What recheck says about `/source/flags`. A loop over matches (flags g, y) costs more than recheck knows: `/a.*b|a/g` finds an `a` at
 * once, but looks for a `b` after each. So every alternative must be linear by itself too. test/expressions.test.ts plants faults.
 */
export async function judge(text: string, timeout = 30_000): Promise<string> {
  const end = text.lastIndexOf('/');
  const source = text.slice(1, end);
  const flags = text.slice(end + 1);
  const parts = /[gy]/.test(flags) ? new Set([source, ...alternatives(source)]) : [source];
  for (const part of parts) {
    const verdict = await ask(part, flags, timeout);
    if (verdict !== safe) return part === source ? verdict : `${verdict}: ${part}`;
  }
  return safe;
}

type Check = (
  source: string,
  flags: string,
  options: { timeout: number },
) => {
  status: 'safe' | 'vulnerable' | 'unknown';
  complexity?: { summary: string };
  error?: { kind: string };
};

async function ask(source: string, flags: string, timeout: number): Promise<string> {
  // Its part without Java and binaries, which package.json replaces.
  // @ts-expect-error: it has no types of its own
  const { default: recheck } = (await import('recheck/lib/browser.js')) as { default: { checkSync: Check } };
  const { status, complexity, error } = recheck.checkSync(source, flags, { timeout });
  return status === 'safe' ? safe : `${status}, ${complexity?.summary ?? error?.kind}`;
}

/** The parts between the outermost `|`. */
function alternatives(source: string): string[] {
  const parts = [''];
  let depth = 0;
  let inClass = false;
  for (const [token] of source.matchAll(/\\?[\s\S]/g)) {
    if (token === '[') inClass = true;
    else if (token === ']') inClass = false;
    else if (!inClass && token === '(') depth += 1;
    else if (!inClass && token === ')') depth -= 1;
    if (token === '|' && depth === 0 && !inClass) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}
