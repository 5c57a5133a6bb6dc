export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Writes XML by nested calls, so every element is closed and every text is escaped. */
export interface XmlWriter {
  /** An element with text, with children written by a function, or empty. Undefined attributes are left out. */
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

/** Safe in text and attributes. Characters that XML forbids, such as control characters and lone surrogates, are dropped. */
export function escapeXml(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(illegal, '').replaceAll(special, (character) => entities[character] ?? '');
}

/** Matches nearly all text: one test instead of two replacements that change nothing. */
const plain = /^[ !#-%(-;=?-~\u00a0-\ud7ff]*$/;
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const special = /[&<>"'\t\n\r]/g;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // Escaped, because parsers turn them into spaces in attributes.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
