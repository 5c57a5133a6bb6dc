import { decodeHTML, decodeHTMLAttribute } from 'entities';

/** The longest name is CounterClockwiseContourIntegral; numbers may have leading zeros. */
const longest = 40;
const known = new Map<string, { text: string; length: number }>();

/** The text that the entity at this position stands for, and its length; `&` itself if it begins no entity. */
export function entityAt(html: string, at: number, end: number): { text: string; length: number } {
  let to = at + 1;
  const limit = Math.min(end, at + longest);
  while (to < limit) {
    const code = html.charCodeAt(to);
    const isPart =
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      (code === 35 && to === at + 1);
    if (!isPart) break;
    to += 1;
  }
  if (to < end && html.charCodeAt(to) === 59) to += 1;
  if (to === at + 1) return lone;
  const written = html.slice(at, to);
  let entity = known.get(written);
  if (entity === undefined) {
    // The decoder decodes the part that is an entity (`&ampx` is `&x`) and leaves the rest as text.
    entity = { text: decodeHTML(written), length: written.length };
    if (known.size < 5000) known.set(written, entity);
  }
  return entity;
}

const lone = { text: '&', length: 1 };

export function decodeText(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}

export function decodeAttribute(value: string): string {
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
}
