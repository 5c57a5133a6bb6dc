export type MarkupPart =
  | { text: string }
  | { name: string; closes: boolean; attributes: Readonly<Record<string, string>> };

/**
 * Tags and texts of XML or HTML in document order; stops at a tag that is not closed. Enough for the output of recognisers.
 * It resolves no external entities and reads nothing twice, so hostile input costs time linear in its length.
 */
export function* elements(markup: string): Generator<MarkupPart> {
  for (let at = 0; at < markup.length; ) {
    const start = markup.indexOf('<', at);
    const text = markup.slice(at, start === -1 ? undefined : start);
    if (text !== '') yield { text: decodeEntities(text) };
    if (start === -1) return;
    const comment = markup.startsWith('<!--', start);
    const end = comment ? markup.indexOf('-->', start) : endOfTag(markup, start);
    if (end === -1) return;
    if (!comment && !/[!?]/.test(markup.charAt(start + 1))) yield readTag(markup.slice(start + 1, end));
    at = end + (comment ? 3 : 1);
  }
}

/** The position of the tag's `>`. One inside quotes doesn't end the tag. */
function endOfTag(markup: string, start: number): number {
  const mark = /[>"']/g;
  mark.lastIndex = start;
  for (let found = mark.exec(markup); found; found = mark.exec(markup)) {
    if (found[0] === '>') return found.index;
    const closing = markup.indexOf(found[0], mark.lastIndex);
    if (closing === -1) return -1;
    mark.lastIndex = closing + 1;
  }
  return -1;
}

function readTag(text: string): MarkupPart {
  const closes = text.startsWith('/');
  const name = /^[^\s/]*/.exec(closes ? text.slice(1) : text)?.[0] ?? '';
  return { name: name.slice(name.indexOf(':') + 1), closes, attributes: readAttributes(text) };
}

/** Values are in quotes, each after its name. */
function readAttributes(text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  let at = 0;
  for (const { 0: quoted, index } of text.matchAll(/"[^"]*"|'[^']*'/g)) {
    const name = text
      .slice(at, index)
      .split(/[\s=/]/)
      .findLast((part) => part !== '');
    if (name !== undefined) found[name] = decodeEntities(quoted.slice(1, -1));
    at = index + quoted.length;
  }
  return found;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]+);/gi, (whole, entity: string) => {
    if (!entity.startsWith('#')) return named[entity] ?? whole;
    const hex = /^#x/i.test(entity);
    const code = Number.parseInt(entity.slice(hex ? 2 : 1), hex ? 16 : 10);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
