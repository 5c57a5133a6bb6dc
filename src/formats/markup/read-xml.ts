import { decodeAttribute, decodeText } from './entities.ts';
import { scanHtml } from './scan.ts';

export interface XmlHandlers {
  /** Names are in lower case and have their prefix; `attribute` takes a name in lower case. */
  open?(name: string, attribute: (name: string) => string | undefined): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Reads XML tag by tag, and broken XML as far as it can. It resolves no external entities, and takes time linear in the length. */
export function readXml(xml: string, { open, close, text }: XmlHandlers): void {
  scanHtml(
    xml,
    {
      open(name, attributes) {
        open?.(name, (attribute) => {
          const value = attributes.get(attribute);
          return value === undefined ? undefined : decodeAttribute(value);
        });
      },
      close: (name) => close?.(name),
      text: (from, to) => text?.(decodeText(xml.slice(from, to))),
      raw: (_name, from, to) => text?.(xml.slice(from, to)),
    },
    { xml: true },
  );
}

/** The text of the first element of each of these names: titles, authors, dates. */
export function firstTexts(xml: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let open: string | undefined;
  let text = '';
  readXml(xml, {
    open(name) {
      if (open === undefined && names.includes(name) && !found.has(name)) [open, text] = [name, ''];
    },
    text(more) {
      if (open !== undefined) text += more;
    },
    close(name) {
      if (name !== open) return;
      if (text.trim() !== '') found.set(name, text.trim());
      open = undefined;
    },
  });
  return found;
}
