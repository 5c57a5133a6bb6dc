import type { XmlWriter } from '../../formats/markup/write-xml.ts';
import { firstLanguage } from './languages.ts';

/** A document as MODS describes it. */
export interface ModsDocument {
  id: string;
  title: string;
  created: Date;
  /** Of its pages, by their Tesseract names. */
  languages: readonly string[];
  pages: number;
}

export const modsNamespace = 'http://www.loc.gov/mods/v3';

/** Writes MODS 3: title, identifier, languages, extent, and the origin of the text. */
export function writeMods(xml: XmlWriter, { id, title, created, languages, pages }: ModsDocument): void {
  xml.element('mods:mods', {}, () => {
    xml.element('mods:titleInfo', {}, () => xml.element('mods:title', {}, title));
    xml.element('mods:identifier', { type: 'local' }, id);
    const codes = new Set(languages.flatMap((names) => names.split('+')).map(codeOf));
    for (const code of codes) {
      if (code === undefined) continue;
      xml.element('mods:language', {}, () =>
        xml.element('mods:languageTerm', { type: 'code', authority: 'iso639-3' }, code),
      );
    }
    xml.element('mods:physicalDescription', {}, () => {
      xml.element('mods:digitalOrigin', {}, 'reformatted digital');
      xml.element('mods:extent', {}, `${pages} ${pages === 1 ? 'page' : 'pages'}`);
    });
    xml.element('mods:recordInfo', {}, () => {
      xml.element('mods:recordCreationDate', { encoding: 'w3cdtf' }, created.toISOString());
      xml.element('mods:recordOrigin', {}, 'text recognised by machine');
    });
  });
}

/** Fraktur is a script; we read it as German. */
function codeOf(name: string): string | undefined {
  return /fraktur/i.test(name) ? 'deu' : firstLanguage(name);
}
