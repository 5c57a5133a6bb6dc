export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Writes XML from the inside of nested calls, so that whatever is opened is closed and whatever is said is escaped. */
export interface XmlWriter {
  /** With text inside, with children written by a function, or empty. What is undefined is left out. */
  element(name: string, attributes?: Attributes, content?: string | (() => void)): void;
  /** The whole document. */
  toString(): string;
}

export function createXmlWriter(prologue = ''): XmlWriter {
  let out = `<?xml version="1.0" encoding="UTF-8"?>\n${prologue}`;
  let depth = 0;
  return {
    element(name, attributes = {}, content = '') {
      const indent = ' '.repeat(depth);
      out += `${indent}<${name}`;
      for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined) out += ` ${key}="${escapeXml(String(value))}"`;
      }
      if (content === '') out += '/>\n';
      else if (typeof content === 'string') out += `>${escapeXml(content)}</${name}>\n`;
      else {
        out += '>\n';
        depth += 1;
        content();
        depth -= 1;
        out += `${indent}</${name}>\n`;
      }
    },
    toString: () => out,
  };
}

/** Safe in text and in attributes; what XML can't hold, such as control characters and halves of pairs, is dropped. */
export function escapeXml(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(illegal, '').replaceAll(special, (character) => entities[character] ?? '');
}

/** Nearly all that is ever written: one look instead of two changes that change nothing. */
const plain = /^[ !#-%(-;=?-~\u00a0-\ud7ff]*$/;
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const special = /[&<>"'\t\n\r]/g;
const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  // Written out, because a parser makes spaces of them in attributes.
  ...{ '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
};
