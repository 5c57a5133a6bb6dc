import { type Converted, linksIn, longestText, trimLineEnds } from '../converted/converted.ts';
import { codePages } from './code-pages.ts';

/** Groups whose content is not text of the document. */
const skippedGroups = new Set(
  'fonttbl colortbl stylesheet listtable listoverridetable pict object header headerl headerr headerf footer footerl footerr footerf generator themedata colorschememapping latentstyles datastore xmlnstbl rsidtbl filetbl revtbl fldinst bkmkstart bkmkend nonshppict private'.split(
    ' ',
  ),
);
const breaks: Readonly<Record<string, string>> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  // A backslash at the end of a line.
  '\n': '\n\n',
  '\r': '\n\n',
  row: '\n',
  nestrow: '\n',
  cell: '\t',
  nestcell: '\t',
  tab: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  '~': '\u00a0',
  _: '-',
  emspace: ' ',
  enspace: ' ',
};

interface Group {
  skipped: boolean;
  /** Characters that stand for the last \u in programs that don't know it. */
  fallback: number;
  font: number;
  /** The property of the document that the group holds. */
  property: 'title' | 'author' | undefined;
}

const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

export function readRtf(bytes: Uint8Array): Converted {
  const source = Buffer.from(bytes).toString('latin1');
  const fonts = fontPages(source);
  const ansi = `windows-${/\\ansicpg(\d+)/.exec(source.slice(0, 2000))?.[1] ?? '1252'}`;
  const properties: { title?: string; author?: string } = {};
  const stack: Group[] = [];
  let group: Group = { skipped: false, fallback: 1, font: -1, property: undefined };
  const out: string[] = [];
  let octets: number[] = [];
  let skip = 0;
  let opened = false;
  let length = 0;
  /** The font where none is named. */
  let usual = -1;

  const write = (text: string) => {
    if (group.property !== undefined) properties[group.property] = (properties[group.property] ?? '') + text;
    else if (!group.skipped && length < longestText) {
      out.push(text);
      length += text.length;
    }
  };
  const decode = (coded: Uint8Array) => decoderOf(fonts.get(group.font) || ansi).decode(coded);
  const flush = () => {
    if (octets.length === 0) return;
    write(decode(Uint8Array.from(octets)));
    octets = [];
  };

  for (const [, word, digits, octet, symbol, brace, plain] of source.matchAll(token)) {
    if (octet === undefined) flush();
    if (brace === '{') {
      stack.push(group);
      group = { ...group };
      opened = true;
      skip = 0;
      continue;
    }
    if (brace === '}') {
      group = stack.pop() ?? group;
      skip = 0;
    } else if (octet !== undefined) {
      if (skip > 0) skip -= 1;
      else octets.push(Number.parseInt(octet, 16));
    } else if (plain !== undefined) {
      const text = skip > 0 ? plain.slice(skip) : plain;
      skip = Math.max(0, skip - plain.length);
      // Bytes beyond ASCII should be escaped, but are not always.
      write(/[\x80-\xff]/.test(text) ? decode(Buffer.from(text, 'latin1')) : text);
    } else if (symbol !== undefined) {
      if (symbol === '*') group.skipped ||= opened;
      else if (symbol === '\\' || symbol === '{' || symbol === '}') write(symbol);
      else write(breaks[symbol] ?? '');
    } else if (word !== undefined) {
      const name = word.toLowerCase();
      if (name === 'u') {
        write(String.fromCharCode(Number(digits ?? 0) & 0xffff));
        skip = group.fallback;
      } else if (name === 'uc') group.fallback = Math.min(10, Math.max(0, Number(digits ?? 1)));
      else if (name === 'f' && digits !== undefined) group.font = Number(digits);
      else if (name === 'deff') group.font = usual = Number(digits ?? -1);
      else if (name === 'plain') group.font = usual;
      else if (name === 'info') group.skipped = true;
      else if (opened && (name === 'title' || name === 'author') && group.skipped) group.property = name;
      else if (opened && skippedGroups.has(name)) group.skipped = true;
      else if (breaks[name] !== undefined) write(breaks[name]);
    }
    opened = false;
  }
  flush();
  const text = out.join('').toWellFormed();
  const named = [...source.matchAll(/HYPERLINK\s+"(https?:[^"]{1,2000})"/g)].map(([, url = '']) => url);
  return {
    kind: 'rtf',
    text: trimLineEnds(text)
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    title: properties.title?.trim() || undefined,
    author: properties.author?.trim() || undefined,
    links: [...new Set([...named, ...linksIn(text)])],
  };
}

/** The code page of each font that has one of its own. */
function fontPages(source: string): Map<number, string> {
  const pages = new Map<number, string>();
  const start = source.indexOf('{\\fonttbl');
  if (start < 0) return pages;
  const table = source.slice(start, start + 50_000);
  let font: number | undefined;
  for (const [, number, charset] of table.matchAll(/\\f(\d{1,9})|\\fcharset(\d{1,9})|[{};]/g)) {
    if (number !== undefined) font ??= Number(number);
    else {
      if (font !== undefined && charset !== undefined) pages.set(font, codePages[Number(charset)] ?? '');
      font = undefined;
    }
  }
  return pages;
}

function decoderOf(page: string): TextDecoder {
  try {
    return new TextDecoder(page);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
