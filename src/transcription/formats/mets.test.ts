import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toMets } from './mets.ts';
import { type Structure, types, violations } from './testing/structure.ts';
import { all, parseXml } from './testing/xml-tree.ts';

/** The part of METS that we write, in our own description. */
const structure: Structure = {
  root: 'mets',
  elements: {
    mets: {
      children: /^metsHdr dmdSec (fileSec )?structMap $/,
      required: { xmlns: types.text, 'xmlns:mods': types.text, 'xmlns:xlink': types.text },
      optional: { OBJID: types.text, LABEL: types.text },
    },
    metsHdr: { children: /^agent $/, required: { CREATEDATE: types.dateTime } },
    agent: {
      children: /^name $/,
      required: { ROLE: /^CREATOR$/, TYPE: /^OTHER$/, OTHERTYPE: types.text },
    },
    name: { text: types.text },
    dmdSec: { children: /^mdWrap $/, required: { ID: 'id' } },
    mdWrap: { children: /^xmlData $/, required: { MDTYPE: /^MODS$/ } },
    xmlData: { children: /^mods:mods $/ },
    'mods:mods': { children: /^mods:titleInfo $/ },
    'mods:titleInfo': { children: /^mods:title $/ },
    'mods:title': { text: types.text },
    fileSec: { children: /^(fileGrp )+$/ },
    fileGrp: { children: /^(file )+$/, required: { USE: types.text } },
    file: {
      children: /^FLocat $/,
      required: {
        ...{ ID: 'id', MIMETYPE: types.text, SIZE: types.whole },
        ...{ CHECKSUM: /^[0-9a-f]{64}$/, CHECKSUMTYPE: /^SHA-256$/ },
      },
    },
    FLocat: { required: { LOCTYPE: /^URL$/, 'xlink:href': /^[^\s<>"]*$/ } },
    structMap: { children: /^div $/, required: { TYPE: /^PHYSICAL$/ } },
    div: {
      children: /^(div |fptr )*$/,
      required: { TYPE: /^(physSequence|page)$/ },
      optional: { ID: 'id', DMDID: 'reference', ORDER: types.whole, LABEL: types.text },
    },
    fptr: { required: { FILEID: 'reference' } },
  },
};

const stored = { size: 12, sha256: 'ab'.repeat(32) };
const anyText = fc.string({ unit: 'binary' });
const anyFile = fc.record({
  use: fc.constantFrom('IMAGE', 'ALTO'),
  mediaType: fc.constant('x/y'),
  path: anyText,
  size: fc.constant(stored.size),
  sha256: fc.constant(stored.sha256),
});

test('METS has the structure of the format, even with hostile titles, names and paths', () => {
  const pages = fc.array(fc.record({ name: anyText, files: fc.array(anyFile, { maxLength: 3 }) }), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(anyText, pages, (title, pages) => {
      const numbered = pages.map((page, index) => ({ ...page, number: index + 1 }));
      const mets = toMets({ id: 'd1', title, created: new Date(0), pages: numbered });
      assert.deepEqual(violations(parseXml(mets), structure), []);
    }),
  );
});

test('files are grouped by use, and each page lists its files', () => {
  const file = (use: string, path: string) => ({ use, mediaType: 'text/xml', path, ...stored });
  const pages = [1, 2].map((number) => ({
    ...{ number, name: `list ${number}` },
    files: [file('ALTO', `alto/${number}.xml`), file('PAGE', `páge/${number}.xml`)],
  }));
  const root = parseXml(toMets({ id: 'd1', title: 'Kronika', created: new Date(0), pages }));
  assert.deepEqual(
    all(root, 'fileGrp').map((group) => [
      group.attributes.USE,
      all(group, 'FLocat').map(({ attributes }) => attributes['xlink:href']),
    ]),
    [
      ['ALTO', ['alto/1.xml', 'alto/2.xml']],
      ['PAGE', ['p%C3%A1ge/1.xml', 'p%C3%A1ge/2.xml']],
    ],
  );
  const divs = all(root, 'div').filter(({ attributes }) => attributes.TYPE === 'page');
  assert.deepEqual(
    divs.map((div) => [div.attributes.LABEL, all(div, 'fptr').map(({ attributes }) => attributes.FILEID)]),
    [
      ['list 1', ['file-1-1', 'file-1-2']],
      ['list 2', ['file-2-1', 'file-2-2']],
    ],
  );
});
