/**
 * Reads HTML tag by tag, as the standard tokenises it; never fails. It reports positions in the page, so that nothing is copied
 * unless the reader asks for it. Faster than htmlparser2, because `indexOf` finds the text between two tags.
 */
export interface HtmlReader {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Text between two positions, with entities not decoded. */
  text(from: number, to: number): void;
  /** The content of an element that contains no markup: script, style, title, textarea... Its tags are not reported separately. */
  raw(name: string, from: number, to: number, attributes: Attributes): void;
}

/** Attributes of the present tag; valid only during the call. */
export interface Attributes {
  /** The value, with entities not decoded; empty if there is only a name. Give the name in lower case. */
  get(name: string): string | undefined;
  readonly count: number;
}

/** Their content is plain text, a program, or not for readers. */
const rawElements = new Set([
  'script',
  'style',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'title',
  'textarea',
  'plaintext',
]);
const mostAttributes = 64;

class TagAttributes implements Attributes {
  readonly #html: string;
  /** Four positions per attribute: start and end of its name, start and end of its value. */
  readonly #positions = new Int32Array(4 * mostAttributes);
  count = 0;

  constructor(html: string) {
    this.#html = html;
  }

  get(name: string): string | undefined {
    for (let index = 0; index < this.count; index += 1) {
      const from = this.#positions[4 * index] as number;
      const to = this.#positions[4 * index + 1] as number;
      if (to - from !== name.length) continue;
      if (!isNamed(this.#html, from, name)) continue;
      return this.#html.slice(this.#positions[4 * index + 2], this.#positions[4 * index + 3]);
    }
    return undefined;
  }

  /** Reads from the end of the tag's name on; returns the position after its `>`, or -1 if the page ends first. */
  read(start: number): number {
    const html = this.#html;
    const end = html.length;
    this.count = 0;
    let at = start;
    for (;;) {
      let code = at < end ? html.charCodeAt(at) : -1;
      while (isSpace(code) || code === 47) {
        at += 1;
        code = at < end ? html.charCodeAt(at) : -1;
      }
      if (code === -1) return -1;
      if (code === 62) return at + 1;
      const nameFrom = at;
      do {
        at += 1;
        code = at < end ? html.charCodeAt(at) : -1;
      } while (code !== -1 && code !== 61 && code !== 62 && code !== 47 && !isSpace(code));
      const nameTo = at;
      while (isSpace(code)) {
        at += 1;
        code = at < end ? html.charCodeAt(at) : -1;
      }
      let valueFrom = nameTo;
      let valueTo = nameTo;
      if (code === 61) {
        do {
          at += 1;
          code = at < end ? html.charCodeAt(at) : -1;
        } while (isSpace(code));
        if (code === 34 || code === 39) {
          valueFrom = at + 1;
          valueTo = html.indexOf(code === 34 ? '"' : "'", valueFrom);
          if (valueTo < 0) return -1;
          at = valueTo + 1;
        } else {
          valueFrom = at;
          while (code !== -1 && code !== 62 && !isSpace(code)) {
            at += 1;
            code = at < end ? html.charCodeAt(at) : -1;
          }
          valueTo = at;
        }
      }
      if (this.count < mostAttributes) {
        const index = 4 * this.count;
        this.#positions[index] = nameFrom;
        this.#positions[index + 1] = nameTo;
        this.#positions[index + 2] = valueFrom;
        this.#positions[index + 3] = valueTo;
        this.count += 1;
      }
    }
  }
}

/**
 * With `xml`, no element is special, and CDATA is reported as raw content named `#cdata`. With `xml` or `xhtml`, `<a/>` closes its
 * element; in HTML the slash has a meaning in SVG only.
 */
export function scanHtml(
  html: string,
  reader: HtmlReader,
  { xml = false, xhtml = xml }: { xml?: boolean; xhtml?: boolean } = {},
): void {
  const attributes = new TagAttributes(html);
  const end = html.length;
  let textFrom = 0;
  let at = 0;
  let noscriptEnds = true;
  // Looked up again only when passed: a page may begin many sections and end none.
  let cdataEnd = -1;
  while (at < end) {
    const tag = html.indexOf('<', at);
    if (tag < 0) break;
    let code = html.charCodeAt(tag + 1);
    const closes = code === 47;
    if (closes) code = html.charCodeAt(tag + 2);
    if (isLetter(code)) {
      if (tag > textFrom) reader.text(textFrom, tag);
      const nameFrom = closes ? tag + 2 : tag + 1;
      let nameTo = nameFrom + 1;
      while (nameTo < end && isNamePart(html.charCodeAt(nameTo))) nameTo += 1;
      const name = nameAt(html, nameFrom, nameTo);
      const behind = html.charCodeAt(nameTo) === 62 ? emptyTag(attributes, nameTo) : attributes.read(nameTo);
      if (behind < 0) return;
      at = behind;
      if (closes) reader.close(name);
      else if ((xhtml || name === 'svg') && html.charCodeAt(behind - 2) === 47) {
        reader.open(name, attributes);
        reader.close(name);
      } else if (!xml && rawElements.has(name)) {
        const close = name !== 'noscript' || noscriptEnds ? closeOf(html, name, behind) : end;
        // Left open, it would hide the rest of the page.
        if (name === 'noscript' && close === end) noscriptEnds = false;
        else {
          reader.raw(name, behind, close, attributes);
          // The end tag may have attributes, and those a `>`.
          at = close < end ? attributes.read(close + 2 + name.length) : end;
          if (at < 0) return;
        }
      } else reader.open(name, attributes);
      textFrom = at;
    } else if (closes || code === 33 || code === 63) {
      if (tag > textFrom) reader.text(textFrom, tag);
      const isCdata = html.startsWith('<![CDATA[', tag);
      if (isCdata && cdataEnd < tag + 9) cdataEnd = endOfCdata(html, tag + 9);
      at = isCdata && cdataEnd < end ? cdataEnd + 3 : afterComment(html, tag, code);
      if (xml && isCdata) reader.raw('#cdata', tag + 9, Math.max(tag + 9, at - 3), attributes);
      textFrom = at;
    } else {
      // A lone `<` is text.
      at = tag + 1;
    }
  }
  if (textFrom < end) reader.text(textFrom, end);
}

/** Where a common name stands in the table, by its letters. */
const nameSlots = 1024;
const commonNames: (string | undefined)[] = new Array(nameSlots).fill(undefined);
for (const name of `a abbr article aside b blockquote body br button code dd div dl dt em figcaption figure footer form h1 h2 h3 h4 h5 h6
  head header hr html i iframe img input label li link main meta nav noscript ol option p path picture pre script section select small
  source span strong style sub sup svg table tbody td th thead time title tr ul`.split(/\s+/))
  commonNames[slotOf(name, 0, name.length)] = name;

/** The name in lower case. For the common ones no string is made: making them took a tenth of the time. */
function nameAt(html: string, from: number, to: number): string {
  const known = to - from <= 10 ? commonNames[slotOf(html, from, to)] : undefined;
  if (known !== undefined && known.length === to - from && isNamed(html, from, known)) return known;
  return html.slice(from, to).toLowerCase();
}

function slotOf(text: string, from: number, to: number): number {
  let slot = to - from;
  for (let at = from; at < to; at += 1) slot = (31 * slot + (text.charCodeAt(at) | 32)) % nameSlots;
  return slot;
}

function emptyTag(attributes: TagAttributes, at: number): number {
  attributes.count = 0;
  return at + 1;
}

function afterTag(html: string, at: number): number {
  const end = html.indexOf('>', at);
  return end < 0 ? html.length : end + 1;
}

function afterComment(html: string, tag: number, code: number): number {
  if (code === 33 && html.startsWith('--', tag + 2)) {
    if (html.startsWith('>', tag + 4)) return tag + 5;
    if (html.startsWith('->', tag + 4)) return tag + 6;
    return afterDashes(html, tag + 4);
  }
  return afterTag(html, tag + 1);
}

/** Where the `]]>` begins; the end of the page if there is none. */
function endOfCdata(html: string, from: number): number {
  const end = html.indexOf(']]>', from);
  return end < 0 ? html.length : end;
}

/** After the `-->` or `--!>` that ends a comment. */
function afterDashes(html: string, from: number): number {
  for (let at = html.indexOf('--', from); at >= 0; at = html.indexOf('--', at + 1)) {
    const code = html.charCodeAt(at + 2);
    if (code === 62) return at + 3;
    if (code === 33 && html.charCodeAt(at + 3) === 62) return at + 4;
  }
  return html.length;
}

// linear: the names are constants (rawElements), and every part of the expression has one length
const closers = new Map([...rawElements].map((name) => [name, new RegExp(`</${name}(?=[\\s/>]|$)`, 'gi')]));

/** Where the content of a raw element ends. */
function closeOf(html: string, name: string, from: number): number {
  if (name === 'plaintext') return html.length;
  const closer = closers.get(name) as RegExp;
  closer.lastIndex = from;
  const found = closer.exec(html);
  if (found === null) return html.length;
  if (name !== 'script') return found.index;
  const comment = html.slice(from, found.index).indexOf('<!--');
  return comment < 0 ? found.index : closeOfScript(html, from + comment);
}

const inScript = /<!--(?:-?>)?|-->|<(\/?)script(?=[\s/>])/gi;

/** As the standard has it: inside a comment, a script that begins there ends there and does not end the one around it. */
function closeOfScript(html: string, from: number): number {
  let isComment = false;
  let isScript = false;
  inScript.lastIndex = from;
  for (let found = inScript.exec(html); found !== null; found = inScript.exec(html)) {
    const [mark, slash] = found;
    if (slash === undefined) {
      if (mark.endsWith('>')) isComment = isScript = false;
      else isComment = true;
    } else if (slash === '') isScript ||= isComment;
    else if (isScript) isScript = false;
    else return found.index;
  }
  return html.length;
}

function isNamed(html: string, from: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = html.charCodeAt(from + index);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== name.charCodeAt(index)) return false;
  }
  return true;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13 || code === 12;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isNamePart(code: number): boolean {
  return !isSpace(code) && code !== 62 && code !== 47;
}
