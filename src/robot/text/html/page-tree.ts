import type { Attributes } from '../../../formats/markup/scan.ts';
import type { Marks } from '../main-text/element-marks.ts';
import { bitsOf, breaksLine } from './elements.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface PageElement {
  name: string;
  parent: PageElement | undefined;
  depth: number;
  /** Class, id and role, lower case. */
  words: string;
  /** In document order. */
  index: number;
  /** What its name and words say about its content; read when first asked for. */
  marks: Marks | undefined;
  /** Which kind of thing it is, in a word; made when first asked for. */
  style: string | undefined;
}

/** One line of the page's text, and the innermost element that it stands in as a block. */
export interface PageBlock {
  element: PageElement;
  from: number;
  to: number;
  /** Characters that are part of a link. */
  linked: number;
}

/** Pages with more blocks are lists or broken: they have no main text worth the time. */
export const mostBlocks = 20_000;

/** Which line of the text stands in which element: what the search for the main text works on. */
export class PageTree {
  readonly root: PageElement = {
    name: 'html',
    parent: undefined,
    depth: 0,
    words: '',
    index: 0,
    marks: undefined,
    style: undefined,
  };
  readonly blocks: PageBlock[] = [];
  #open = this.root;
  #count = 1;

  open(name: string, attributes: Attributes): void {
    const parent = this.#open;
    const words = attributes.count === 0 ? '' : wordsOf(attributes);
    const depth = parent.depth + 1;
    this.#open = { name, parent, depth, words, index: this.#count, marks: undefined, style: undefined };
    this.#count += 1;
  }

  close(): void {
    this.#open = this.#open.parent ?? this.root;
  }

  /** The text of each block. */
  textsIn(text: string): string[] {
    return this.blocks.map(({ from, to }) => text.slice(from, to).trim());
  }

  /** To be called when text was written from `before` on. */
  endText(buffer: TextBuffer, before: number, linked: boolean): void {
    const to = buffer.length;
    if (to === before) return;
    const last = this.blocks.at(-1);
    // Lines of one text, as in <pre>, are one block.
    const from = buffer.afterBreaks(before);
    if (last !== undefined && from === before) {
      last.to = to;
      if (linked) last.linked += to - before;
      return;
    }
    if (this.blocks.length > mostBlocks) return;
    this.blocks.push({ element: blockOf(this.#open), from, to, linked: linked ? to - from : 0 });
  }
}

function wordsOf(attributes: Attributes): string {
  let words = '';
  for (const name of speaking) {
    const value = attributes.get(name);
    if (value !== undefined) words = words === '' ? value : `${words} ${value}`;
  }
  return words === '' ? '' : words.slice(0, longestWords).trim().toLowerCase();
}

/** They are part of the style of every block inside. */
const longestWords = 1_000;
const speaking = ['class', 'id', 'role', 'itemprop'];

function blockOf(element: PageElement): PageElement {
  let block = element;
  while (
    block.parent !== undefined &&
    (bitsOf(block.name) & breaksLine) === 0 &&
    block.name !== 'td' &&
    block.name !== 'th'
  )
    block = block.parent;
  return block;
}
