import { entityAt } from '../../../formats/markup/entities.ts';
import type { Attributes, HtmlReader } from '../../../formats/markup/scan.ts';
import {
  bitsOf,
  breaksLine,
  endsDrawing,
  endsOpen,
  endsOthers,
  endsParagraph,
  isBarrier,
  isCell,
  isHidden,
  isParagraph,
  isVoid,
} from './elements.ts';
import { PageHead } from './page-head.ts';
import type { PageTree } from './page-tree.ts';
import { blankLine, newLine, space, TextBuffer, tab } from './text-buffer.ts';

/** Maximum depth of elements; deeper ones count as being at this depth. No page needs more, and broken pages have thousands. */
const deepest = 400;

/** Reads the tags of a page and writes its text; links and what the head says go to `PageHead`. */
export class PageReader implements HtmlReader {
  readonly content: TextBuffer;
  readonly head: PageHead;
  readonly #html: string;
  readonly #tree: PageTree | undefined;
  readonly #names: string[] = [];
  readonly #bits: number[] = [];
  /** Open elements that hide what is inside. */
  #hidden = 0;
  #preserved = 0;
  #links = 0;
  #drawings = 0;
  #entity = -1;

  constructor(html: string, tree?: PageTree) {
    this.#html = html;
    this.#tree = tree;
    this.content = new TextBuffer(html.length);
    this.head = new PageHead();
  }

  open(name: string, attributes: Attributes): void {
    let bits = bitsOf(name);
    if (this.#drawings > 0 && (bits & endsDrawing) !== 0) this.#endDrawing();
    this.#endOpen(name, bits);
    if ((bits & isHidden) === 0) {
      if ((bits & breaksLine) !== 0) this.content.separate((bits & isParagraph) !== 0 ? blankLine : newLine);
      else if ((bits & isCell) !== 0) this.content.separate(tab);
    }
    if (attributes.count > 0) {
      this.head.tag(name, attributes);
      if (isHiddenBy(attributes) && name !== 'body' && name !== 'html') bits |= isHidden;
    }
    if (name === 'dialog' && attributes.get('open') === undefined) bits |= isHidden;
    if ((bits & isVoid) !== 0 || this.#names.length >= deepest) return;
    this.#names.push(name);
    this.#bits.push(bits);
    if ((bits & isHidden) !== 0) this.#hidden += 1;
    if (name === 'pre') this.#preserved += 1;
    if (name === 'a') this.#links += 1;
    if (name === 'svg') this.#drawings += 1;
    this.#tree?.open(name, attributes);
  }

  close(name: string): void {
    const bits = bitsOf(name);
    if (name === 'br') this.content.separate(newLine);
    if ((bits & isVoid) !== 0) return;
    const at = this.#find(name, bits);
    if (at < 0) {
      if ((bits & breaksLine) !== 0 && this.#hidden === 0) this.content.separate(newLine);
      return;
    }
    while (this.#names.length > at) this.#pop();
  }

  text(from: number, to: number): void {
    if (this.#hidden > 0) return;
    const html = this.#html;
    const buffer = this.content;
    // A lone `<` and what stands behind the next tag must not become a tag together.
    if (buffer.endsWithLess) buffer.separate(space);
    const before = buffer.length;
    let start = from;
    let and = this.#nextEntity(from);
    while (and < to) {
      this.#write(html, start, and);
      const { text, length } = entityAt(html, and, to);
      this.#write(text, 0, text.length);
      start = and + length;
      and = this.#nextEntity(start);
    }
    this.#write(html, start, to);
    this.#tree?.endText(buffer, before, this.#links > 0);
  }

  raw(name: string, from: number, to: number, attributes: Attributes): void {
    if (name === 'title' && this.#names.includes('svg')) return;
    if (attributes.count > 0) this.head.tag(name, attributes);
    if (name === 'title' || name === 'script') this.head.raw(name, this.#html.slice(from, to), attributes);
  }

  /** Where the next `&` stands. Looked up once, not again for each piece of text before it. */
  #nextEntity(from: number): number {
    if (this.#entity < from) {
      const found = this.#html.indexOf('&', from);
      this.#entity = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#entity;
  }

  #write(source: string, from: number, to: number): void {
    if (from >= to) return;
    if (this.#preserved > 0) this.content.preserve(source, from, to);
    else this.content.collapse(source, from, to);
  }

  #endOpen(name: string, bits: number): void {
    const top = this.#names.length - 1;
    if (top < 0) return;
    if ((bits & endsParagraph) !== 0 && this.#names[top] === 'p') this.#pop();
    if ((bits & endsOthers) === 0) return;
    const ends = endsOpen.get(name) as ReadonlySet<string>;
    // The innermost few: <li><b>one<li>two has an inline element in between.
    for (let at = this.#names.length - 1, left = 4; at >= 0 && left > 0; at -= 1, left -= 1) {
      const open = this.#names[at] as string;
      if (ends.has(open)) {
        while (this.#names.length > at) this.#pop();
        left = 4;
      } else if (((this.#bits[at] as number) & (breaksLine | isBarrier)) !== 0) return;
    }
  }

  /** HTML inside a drawing that was left open ends it, but for the parts of a drawing that may have HTML. */
  #endDrawing(): void {
    for (let at = this.#names.length - 1; at >= 0; at -= 1) {
      const name = this.#names[at];
      if (name === 'foreignobject' || name === 'desc') return;
      if (name !== 'svg') continue;
      while (this.#names.length > at) this.#pop();
      return;
    }
  }

  #find(name: string, bits: number): number {
    const crosses =
      (bits & (isBarrier | isHidden)) !== 0 ||
      name === 'tr' ||
      name === 'tbody' ||
      name === 'thead' ||
      name === 'tfoot';
    for (let at = this.#names.length - 1; at >= 0; at -= 1) {
      if (this.#names[at] === name) return at;
      if (!crosses && ((this.#bits[at] as number) & isBarrier) !== 0) return -1;
    }
    return -1;
  }

  #pop(): void {
    const name = this.#names.pop() as string;
    const bits = this.#bits.pop() as number;
    if ((bits & isHidden) !== 0) this.#hidden -= 1;
    else if ((bits & breaksLine) !== 0)
      this.content.separate((bits & isParagraph) !== 0 ? blankLine : newLine);
    else if ((bits & isCell) !== 0) this.content.separate(tab);
    if (name === 'pre') this.#preserved -= 1;
    if (name === 'a') this.#links -= 1;
    if (name === 'svg') this.#drawings -= 1;
    this.#tree?.close();
  }
}

function isHiddenBy(attributes: Attributes): boolean {
  const hidden = attributes.get('hidden');
  if (hidden !== undefined && hidden !== 'until-found') return true;
  const style = attributes.get('style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
