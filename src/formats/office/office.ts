import { type Converted, longestText } from '../converted/converted.ts';
import { firstTexts, readXml } from '../markup/read-xml.ts';
import { openArchive } from './archive.ts';

/** Word since 2007. */
export async function readDocx(bytes: Uint8Array): Promise<Converted> {
  const part = await openArchive(bytes);
  const body = await part('word/document.xml');
  const notes = [await part('word/footnotes.xml'), await part('word/endnotes.xml')];
  const links = externalLinks((await part('word/_rels/document.xml.rels')) ?? '');
  const text = [body, ...notes]
    .map((xml) => (xml === undefined ? '' : paragraphsOf(xml, wordElements)))
    .join('');
  return {
    kind: 'docx',
    text: text.trim(),
    links,
    ...coreProperties((await part('docProps/core.xml')) ?? ''),
  };
}

/** PowerPoint since 2007: the slides in their order, then their notes. */
export async function readPptx(bytes: Uint8Array): Promise<Converted> {
  const part = await openArchive(bytes);
  const numbered = part.names
    .filter((name) => /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\d{1,9}\.xml$/.test(name))
    .map((name) => ({
      name,
      isNote: name.includes('notes'),
      number: Number(/(\d{1,9})\.xml$/.exec(name)?.[1]),
    }))
    .sort((one, other) => Number(one.isNote) - Number(other.isNote) || one.number - other.number);
  let text = '';
  const links: string[] = [];
  for (const { name } of numbered) {
    text += `${paragraphsOf((await part(name)) ?? '', drawingElements)}\n`;
    const folder = name.lastIndexOf('/') + 1;
    const relations = `${name.slice(0, folder)}_rels/${name.slice(folder)}.rels`;
    links.push(...externalLinks((await part(relations)) ?? ''));
    if (text.length > longestText) break;
  }
  return {
    kind: 'pptx',
    text: text.trim(),
    links,
    ...coreProperties((await part('docProps/core.xml')) ?? ''),
  };
}

/** OpenDocument text. */
export async function readOdt(bytes: Uint8Array): Promise<Converted> {
  const part = await openArchive(bytes);
  const content = (await part('content.xml')) ?? '';
  const links: string[] = [];
  readXml(content, {
    open(name, attribute) {
      const href = name === 'text:a' ? attribute('xlink:href') : undefined;
      if (href !== undefined && /^https?:/i.test(href)) links.push(href);
    },
  });
  const meta = firstTexts((await part('meta.xml')) ?? '', [
    'dc:title',
    'dc:creator',
    'dc:date',
    'meta:creation-date',
  ]);
  return {
    kind: 'odt',
    text: paragraphsOf(content, openElements).trim(),
    links,
    title: meta.get('dc:title'),
    author: meta.get('dc:creator'),
    date: meta.get('meta:creation-date') ?? meta.get('dc:date'),
  };
}

interface TextElements {
  paragraph: ReadonlySet<string>;
  /** Only what is inside these is text; all of it, if there are none. */
  run: ReadonlySet<string>;
  tab: ReadonlySet<string>;
  line: ReadonlySet<string>;
  space: ReadonlySet<string>;
  /** Cells of a row stand on one line, as in HTML. */
  cell: ReadonlySet<string>;
  row: ReadonlySet<string>;
  /** Not read: comments, what was deleted, instructions of fields. */
  skipped: ReadonlySet<string>;
}

const elements = (names: Partial<Record<keyof TextElements, string[]>>): TextElements => ({
  paragraph: new Set(names.paragraph),
  run: new Set(names.run),
  tab: new Set(names.tab),
  line: new Set(names.line),
  space: new Set(names.space),
  cell: new Set(names.cell),
  row: new Set(names.row),
  skipped: new Set(names.skipped),
});
const wordElements = elements({
  paragraph: ['w:p'],
  run: ['w:t', 'm:t'],
  tab: ['w:tab'],
  line: ['w:br', 'w:cr'],
  cell: ['w:tc'],
  row: ['w:tr'],
  skipped: ['w:del', 'w:instrtext', 'mc:fallback', 'w:ppr'],
});
const drawingElements = elements({
  paragraph: ['a:p'],
  run: ['a:t'],
  line: ['a:br'],
  cell: ['a:tc'],
  row: ['a:tr'],
});
const openElements = elements({
  paragraph: ['text:p', 'text:h'],
  tab: ['text:tab'],
  line: ['text:line-break'],
  space: ['text:s'],
  cell: ['table:table-cell'],
  row: ['table:table-row'],
  skipped: [
    'office:annotation',
    'text:tracked-changes',
    'office:scripts',
    'office:styles',
    'office:automatic-styles',
  ],
});

function paragraphsOf(xml: string, known: TextElements): string {
  const parts: string[] = [];
  let skipped = 0;
  let runs = 0;
  let paragraphs = 0;
  readXml(xml, {
    open(name) {
      if (known.skipped.has(name)) skipped += 1;
      else if (known.run.has(name)) runs += 1;
      else if (known.paragraph.has(name)) paragraphs += 1;
      else if (skipped > 0) return;
      else if (known.tab.has(name) && paragraphs > 0) parts.push('\t');
      else if (known.line.has(name)) parts.push('\n');
      else if (known.space.has(name)) parts.push(' ');
    },
    text(text) {
      if (skipped > 0 || paragraphs === 0 || (known.run.size > 0 && runs === 0)) return;
      parts.push(text.replaceAll(/[\r\n]+/g, ' '));
    },
    close(name) {
      if (known.skipped.has(name)) skipped = Math.max(0, skipped - 1);
      else if (known.run.has(name)) runs = Math.max(0, runs - 1);
      else if (known.paragraph.has(name)) {
        paragraphs = Math.max(0, paragraphs - 1);
        parts.push('\n\n');
      } else if (known.cell.has(name)) {
        if (parts.at(-1) === '\n\n') parts.pop();
        parts.push('\t');
      } else if (known.row.has(name)) {
        if (parts.at(-1) === '\t') parts.pop();
        parts.push('\n');
      }
    },
  });
  return parts
    .join('')
    .replaceAll(/\n{3,}/g, '\n\n')
    .slice(0, longestText);
}

function externalLinks(relations: string): string[] {
  const links: string[] = [];
  readXml(relations, {
    open(name, attribute) {
      const target = attribute('target');
      if (name === 'relationship' && target !== undefined && /^https?:/i.test(target)) links.push(target);
    },
  });
  return links;
}

function coreProperties(xml: string) {
  const found = firstTexts(xml, ['dc:title', 'dc:creator', 'dcterms:created']);
  return {
    title: found.get('dc:title'),
    author: found.get('dc:creator'),
    date: found.get('dcterms:created'),
  };
}
