import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { all, parseXml } from '../../formats/markup/testing/xml-tree.ts';
import { toMets } from './mets.ts';
import { type Structure, types, violations } from './testing/structure.ts';

/** The part of METS that we write, in our own description. */
const structure: Structure = {
  root: 'mets',
  elements: {
    mets: {
      children: /^metsHdr dmdSec (fileSec )?structMap structMap structLink $/,
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
    'mods:mods': {
      children: /^mods:titleInfo mods:identifier (mods:language )*mods:physicalDescription mods:recordInfo $/,
    },
    'mods:identifier': { required: { type: /^local$/ }, text: types.text },
    'mods:language': { children: /^mods:languageTerm $/ },
    'mods:languageTerm': { required: { type: /^code$/, authority: /^iso639-3$/ }, text: /^[a-z]{3}$/ },
    'mods:physicalDescription': { children: /^mods:digitalOrigin mods:extent $/ },
    'mods:digitalOrigin': { text: /^reformatted digital$/ },
    'mods:extent': { text: /^\d+ pages?$/ },
    'mods:recordInfo': { children: /^mods:recordCreationDate mods:recordOrigin $/ },
    'mods:recordCreationDate': { required: { encoding: /^w3cdtf$/ }, text: types.dateTime },
    'mods:recordOrigin': { text: types.text },
    structLink: { children: /^(smLink )+$/ },
    smLink: { required: { 'xlink:from': 'reference', 'xlink:to': 'reference' } },
    'mods:titleInfo': { children: /^mods:title $/ },
    'mods:title': { text: types.text },
    fileSec: { children: /^(fileGrp )+$/ },
    fileGrp: { children: /^(file )+$/, required: { USE: types.text } },
    file: {
      children: /^FLocat $/,
      required: {
        ID: 'id',
        MIMETYPE: types.text,
        SIZE: types.whole,
        CHECKSUM: /^[0-9a-f]{64}$/,
        CHECKSUMTYPE: /^SHA-256$/,
      },
    },
    FLocat: { required: { LOCTYPE: /^URL$/, 'xlink:href': /^[^\s<>"]*$/ } },
    structMap: { children: /^div $/, required: { TYPE: /^(PHYSICAL|LOGICAL)$/ } },
    div: {
      children: /^(div |fptr )*$/,
      required: { TYPE: /^(physSequence|page|document|section)$/ },
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
    number,
    name: `list ${number}`,
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

test('pages belong to the section of their source, and MODS names the languages', () => {
  const pages = ['book.pdf', 'book.pdf', 'letter.jpg'].map((name, index) => ({
    number: index + 1,
    name,
    files: [],
    language: index === 2 ? 'ces' : 'Fraktur+lat',
  }));
  const root = parseXml(toMets({ id: 'd1', title: 'Kronika', created: new Date(0), pages }));
  const links = all(root, 'smLink').map(({ attributes }) => [
    attributes['xlink:from'],
    attributes['xlink:to'],
  ]);
  assert.deepEqual(links.slice(1), [
    ['section-1', 'page-1'],
    ['section-1', 'page-2'],
    ['section-2', 'page-3'],
  ]);
  const sections = all(root, 'div').filter(({ attributes }) => attributes.TYPE === 'section');
  assert.deepEqual(
    sections.map(({ attributes }) => attributes.LABEL),
    ['book.pdf', 'letter.jpg'],
  );
  const languages = all(root, 'mods:languageTerm').map(({ text }) => text);
  assert.deepEqual(languages, ['deu', 'lat', 'ces']);
});
