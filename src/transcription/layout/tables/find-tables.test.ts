import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPageXml } from '../../formats/page-xml.ts';
import { toTsv } from '../../formats/tsv.ts';
import type { Grey } from '../../image/grey.ts';
import type { Box, Line, Page, Region } from '../../page/page.ts';
import { toText } from '../../text/text.ts';
import { findTables } from './find-tables.ts';

/** Letters are 20 pixels wide and lines 30 high. */
const [letter, line] = [20, 30];

class Drawing {
  readonly image: Grey = { data: new Uint8Array(1200 * 900).fill(250), width: 1200, height: 900 };
  readonly regions: Region[] = [];

  level(y: number, from: number, to: number): void {
    for (let row = y; row < y + 3; row++) this.image.data.fill(0, row * 1200 + from, row * 1200 + to);
    this.separator({ left: from, top: y, width: to - from, height: 3 });
  }

  upright(x: number, from: number, to: number): void {
    for (let row = from; row < to; row++) this.image.data.fill(0, row * 1200 + x, row * 1200 + x + 3);
    this.separator({ left: x, top: from, width: 3, height: to - from });
  }

  /** Recognisers say where they have seen rules, more or less. */
  separator(box: Box): void {
    this.regions.push({ kind: 'separator', box, paragraphs: [] });
  }

  /** A block of lines, as a recogniser would read it. */
  block(left: number, top: number, texts: readonly string[], pitch = 50): void {
    const lines = texts.map((text, index): Line => {
      let x = left;
      const words = text.split(' ').map((word) => {
        const box = { left: x, top: top + index * pitch, width: word.length * letter, height: line };
        x += (word.length + 1) * letter;
        return { text: word, box };
      });
      return { box: { left, top: top + index * pitch, width: x - letter - left, height: line }, words };
    });
    const width = Math.max(...lines.map(({ box }) => box.width));
    const box = { left, top, width, height: (texts.length - 1) * pitch + line };
    this.regions.push({ kind: 'text', box, paragraphs: [{ box, lines }] });
  }

  get page(): Page {
    return { width: 1200, height: 900, regions: this.regions };
  }

  rows(): string[] {
    return toTsv(findTables(this.image, this.page)).trimEnd().split('\n');
  }
}

/** Read column by column, as recognisers like to. */
function columns(drawing: Drawing): void {
  drawing.block(120, 210, ['Town', 'Brno', 'Znojmo', 'Zlín']);
  drawing.block(420, 210, ['1910', '1250', '275', '310']);
  drawing.block(720, 210, ['1911', '1304', '290', '355']);
}
const expected = ['Town\t1910\t1911', 'Brno\t1250\t1304', 'Znojmo\t275\t290', 'Zlín\t310\t355'];

test('a table between printed rules is read row by row, whatever blocks it was read in', () => {
  const drawing = new Drawing();
  drawing.block(100, 50, ['The towns in the years']);
  columns(drawing);
  for (let row = 0; row <= 4; row++) drawing.level(200 + row * 50, 100, 1000);
  for (const x of [100, 400, 700, 998]) drawing.upright(x, 200, 400);
  drawing.block(100, 600, ['Other text follows here']);
  assert.deepEqual(drawing.rows(), expected);
  const text = toText(findTables(drawing.image, drawing.page));
  assert.equal(
    text,
    `The towns in the years\n\n${expected.join('\n').replaceAll('\t', ' ')}\n\nOther text follows here\n`,
    'the text around it stays where it was',
  );
});

test('rows need no rules between them', () => {
  const drawing = new Drawing();
  columns(drawing);
  for (const y of [200, 250, 410]) drawing.level(y, 100, 1000);
  for (const x of [400, 700]) drawing.upright(x, 200, 410);
  assert.deepEqual(drawing.rows(), expected);
});

test('a cell may have several lines, and what a recogniser makes of rules is no text', () => {
  const drawing = new Drawing();
  for (const y of [200, 320, 440, 560]) drawing.level(y, 100, 1000);
  for (const x of [100, 500, 998]) drawing.upright(x, 200, 560);
  drawing.block(120, 210, ['Josef', 'Novotný']);
  drawing.block(470, 210, ['| smith', '| farrier']);
  drawing.block(120, 330, ['Anna']);
  drawing.block(520, 330, ['teacher']);
  drawing.block(120, 450, ['Karel']);
  drawing.block(520, 450, ['miller', 'in the town']);
  assert.deepEqual(drawing.rows(), [
    'Josef Novotný\tsmith farrier',
    'Anna\tteacher',
    'Karel\tmiller in the town',
  ]);
});

test('a cell may take several rows or columns: where the rule is missing that divides others', () => {
  const drawing = new Drawing();
  drawing.block(120, 235, ['Town']);
  drawing.block(620, 210, ['Inhabitants']);
  drawing.block(460, 260, ['1910']);
  drawing.block(780, 260, ['1911']);
  drawing.block(120, 310, ['Brno', 'Zlín']);
  drawing.block(460, 310, ['1250', '310']);
  drawing.block(780, 310, ['1304', '355']);
  drawing.level(200, 100, 1000);
  drawing.level(250, 400, 1000);
  for (const y of [300, 350, 400]) drawing.level(y, 100, 1000);
  for (const x of [100, 400, 998]) drawing.upright(x, 200, 400);
  drawing.upright(700, 250, 400);
  assert.deepEqual(drawing.rows(), [
    'Town\tInhabitants\t',
    '\t1910\t1911',
    'Brno\t1250\t1304',
    'Zlín\t310\t355',
  ]);
  const xml = toPageXml(findTables(drawing.image, drawing.page), {
    name: 'a',
    number: 1,
    created: new Date(0),
  });
  assert.match(xml, /<TableCellRole rowIndex="0" columnIndex="0" rowSpan="2"\/>[\s\S]*?<Unicode>Town</);
  assert.match(
    xml,
    /<TableCellRole rowIndex="0" columnIndex="1" colSpan="2"\/>[\s\S]*?<Unicode>Inhabitants</,
  );
  assert.equal(xml.match(/Span=/g)?.length, 2, 'all other cells take one row and one column');
});

test('a head without upright rules still has a cell for each column', () => {
  const drawing = new Drawing();
  columns(drawing);
  for (const y of [200, 250, 300, 350, 410]) drawing.level(y, 100, 1000);
  for (const x of [400, 700]) drawing.upright(x, 250, 410);
  for (const x of [100, 998]) drawing.upright(x, 200, 410);
  assert.deepEqual(drawing.rows(), expected);
});

test('columns of figures are a table without any rule', () => {
  const drawing = new Drawing();
  columns(drawing);
  assert.deepEqual(drawing.rows(), expected);
});

test('a table in the middle of a block stays between what is above and below it', () => {
  const drawing = new Drawing();
  const rows = [
    'flour        12    75',
    'rye           9    25',
    'oats          7    50',
    'bran          3    10',
  ];
  drawing.block(100, 100, ['Prices at the mill were', ...rows, 'and so they went home']);
  // Words that are apart in the text are apart on the page.
  for (const { words } of drawing.regions[0]?.paragraphs[0]?.lines ?? [])
    words.splice(0, words.length, ...words.filter(({ text }) => text !== ''));
  assert.equal(
    toText(findTables(drawing.image, drawing.page)),
    'Prices at the mill were\n\nflour 12 75\nrye 9 25\noats 7 50\nbran 3 10\n\nand so they went home\n',
  );
});

test('text in columns is no table, with rules around it or without', () => {
  const text = Array.from({ length: 10 }, () => 'and so they went home');
  const numbered = Array.from({ length: 10 }, (_, index) => `in 19${10 + index} it was so`);
  for (const rules of [[], [150, 850], [150, 500, 850]]) {
    const drawing = new Drawing();
    drawing.block(100, 210, text);
    drawing.block(650, 210, numbered);
    for (const y of rules) drawing.level(y, 80, 1150);
    if (rules.length > 0) drawing.upright(600, 150, 850);
    assert.deepEqual(drawing.rows(), [''], `rules at ${rules}`);
  }
});

test('advertisements in frames mix large and small type, and are no table', () => {
  const drawing = new Drawing();
  columns(drawing);
  for (let row = 0; row <= 4; row++) drawing.level(200 + row * 50, 100, 1000);
  for (const x of [100, 400, 700, 998]) drawing.upright(x, 200, 400);
  const [word] = drawing.regions[0]?.paragraphs[0]?.lines[0]?.words ?? [];
  if (word) word.box = { ...word.box, height: 2.5 * line };
  assert.deepEqual(drawing.rows(), ['']);
});

test('PAGE has a table region, and each cell says its row and column', () => {
  const drawing = new Drawing();
  columns(drawing);
  const page = findTables(drawing.image, drawing.page);
  const xml = toPageXml(page, { name: 'a', number: 1, created: new Date(0) });
  assert.match(xml, /<TableRegion id="r1" rows="4" columns="3">/);
  assert.equal(xml.match(/<TableCellRole /g)?.length, 12);
  assert.match(
    xml,
    /<Roles>\s*<TableCellRole rowIndex="1" columnIndex="2"\/>\s*<\/Roles>\s*<TextLine[\s\S]*?<Unicode>1304</,
  );
});
