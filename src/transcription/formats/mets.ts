import { writer } from './about.ts';
import { createXmlWriter, type XmlWriter } from './xml.ts';

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
  'xmlns:mods': 'http://www.loc.gov/mods/v3',
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
  });
  return xml.toString();
}

function writeTitle(xml: XmlWriter, document: MetsDocument): void {
  xml.element('dmdSec', { ID: 'description' }, () =>
    xml.element('mdWrap', { MDTYPE: 'MODS' }, () =>
      xml.element('xmlData', {}, () =>
        xml.element('mods:mods', {}, () =>
          xml.element('mods:titleInfo', {}, () => xml.element('mods:title', {}, document.title)),
        ),
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
    xml.element('div', { TYPE: 'physSequence', DMDID: 'description' }, () => {
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

function fileId(page: MetsPage, index: number): string {
  return `file-${page.number}-${index + 1}`;
}
