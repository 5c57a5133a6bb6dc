import { escapeXml } from './escape.ts';

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
