import { createXmlWriter, type XmlWriter } from '../../formats/markup/write-xml.ts';
import { writer } from './about.ts';
import { modsNamespace, writeMods } from './mods.ts';

/** A document as METS describes it: the pages and their files. */
export interface MetsDocument {
  id: string;
  title: string;
  created: Date;
  pages: readonly MetsPage[];
}

export interface MetsPage {
  /** From 1, in order. */
  number: number;
  name: string;
  language?: string | undefined;
  files: readonly MetsFile[];
}

export interface MetsFile {
  /** The purpose of the file, e.g. `IMAGE` or `ALTO`. Files with the same use form a group. */
  use: string;
  mediaType: string;
  /** Path relative to the METS file, with slashes. */
  path: string;
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

const namespaces = {
  xmlns: 'http://www.loc.gov/METS/',
  'xmlns:mods': modsNamespace,
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
};

export function toMets(document: MetsDocument): string {
  const xml = createXmlWriter();
  xml.element('mets', { ...namespaces, OBJID: document.id, LABEL: document.title }, () => {
    xml.element('metsHdr', { CREATEDATE: document.created.toISOString() }, () =>
      xml.element('agent', { ROLE: 'CREATOR', TYPE: 'OTHER', OTHERTYPE: 'SOFTWARE' }, () =>
        xml.element('name', {}, `${writer.name} ${writer.version}`),
      ),
    );
    writeTitle(xml, document);
    writeFiles(xml, document);
    writePages(xml, document);
    writeSections(xml, document);
  });
  return xml.toString();
}

function writeTitle(xml: XmlWriter, document: MetsDocument): void {
  const languages = [...new Set(document.pages.flatMap(({ language }) => language ?? []))];
  xml.element('dmdSec', { ID: 'description' }, () =>
    xml.element('mdWrap', { MDTYPE: 'MODS' }, () =>
      xml.element('xmlData', {}, () =>
        writeMods(xml, { ...document, languages, pages: document.pages.length }),
      ),
    ),
  );
}

function writeFiles(xml: XmlWriter, document: MetsDocument): void {
  const uses = [...new Set(document.pages.flatMap((page) => page.files.map((file) => file.use)))];
  if (uses.length === 0) return;
  xml.element('fileSec', {}, () => {
    for (const use of uses) {
      xml.element('fileGrp', { USE: use }, () => {
        for (const page of document.pages) {
          for (const [index, file] of page.files.entries()) {
            if (file.use === use) writeFile(xml, page, file, index);
          }
        }
      });
    }
  });
}

function writeFile(xml: XmlWriter, page: MetsPage, file: MetsFile, index: number): void {
  const href = file.path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  const { mediaType: MIMETYPE, size: SIZE, sha256: CHECKSUM } = file;
  const attributes = { ID: fileId(page, index), MIMETYPE, SIZE, CHECKSUM, CHECKSUMTYPE: 'SHA-256' };
  xml.element('file', attributes, () => xml.element('FLocat', { LOCTYPE: 'URL', 'xlink:href': href }));
}

function writePages(xml: XmlWriter, document: MetsDocument): void {
  xml.element('structMap', { TYPE: 'PHYSICAL' }, () =>
    xml.element('div', { TYPE: 'physSequence', ID: 'pages', DMDID: 'description' }, () => {
      for (const page of document.pages) {
        const { number, name } = page;
        const attributes = { TYPE: 'page', ID: `page-${number}`, ORDER: number, LABEL: name };
        xml.element('div', attributes, () => {
          for (const index of page.files.keys()) xml.element('fptr', { FILEID: fileId(page, index) });
        });
      }
    }),
  );
}

/** The sections of the document, one for each source, and their pages. */
function writeSections(xml: XmlWriter, document: MetsDocument): void {
  const sections: { label: string; pages: number[] }[] = [];
  for (const { name, number } of document.pages) {
    const last = sections.at(-1);
    if (last?.label === name) last.pages.push(number);
    else sections.push({ label: name, pages: [number] });
  }
  const idOf = (index: number) => `section-${index + 1}`;
  xml.element('structMap', { TYPE: 'LOGICAL' }, () => {
    const whole = { TYPE: 'document', ID: 'document', LABEL: document.title, DMDID: 'description' };
    xml.element('div', whole, () => {
      for (const [index, { label }] of sections.entries())
        xml.element('div', { TYPE: 'section', ID: idOf(index), ORDER: index + 1, LABEL: label });
    });
  });
  xml.element('structLink', {}, () => {
    xml.element('smLink', { 'xlink:from': 'document', 'xlink:to': 'pages' });
    for (const [index, { pages }] of sections.entries())
      for (const page of pages)
        xml.element('smLink', { 'xlink:from': idOf(index), 'xlink:to': `page-${page}` });
  });
}

function fileId(page: MetsPage, index: number): string {
  return `file-${page.number}-${index + 1}`;
}
