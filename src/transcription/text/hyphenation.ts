import type { Line } from '../page/page.ts';
import { lineText } from './text.ts';

/** A word hyphenated across two lines. */
export interface Hyphenation {
  hyphen: string;
  /** The part before the hyphen. */
  beginning: string;
  whole: string;
}

/** For each line, how its last word continues in the next; undefined if it doesn't. */
export function hyphenated(lines: readonly Line[]): (Hyphenation | undefined)[] {
  return lines.map((line, index) => {
    const [, beginning, hyphen] = divided.exec(lineText(line)) ?? [];
    const next = lines[index + 1];
    const [rest] = next === undefined ? [] : (continued.exec(lineText(next)) ?? []);
    if (beginning === undefined || hyphen === undefined || rest === undefined) return undefined;
    return { hyphen, beginning, whole: beginning + rest };
  });
}

/** Letters followed by a hyphen: hyphen-minus, soft hyphen, hyphen, double oblique hyphen or not sign. */
const divided = /(?:^|\s)(\S*\p{L})([-\u00ad\u2010\u2e17¬])$/u;
/** A capital starts a new word, e.g. after a dash or in a double name. */
const continued = /^\p{Ll}\S*/u;
