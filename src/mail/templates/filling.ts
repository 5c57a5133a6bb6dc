import type { Liquid, Template } from 'liquidjs';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { escapeHtml } from '../../formats/markup/escape.ts';
import { messageMemory } from '../mime/message-memory.ts';
import { type EncodedText, quotedPrintableWriter } from '../mime/quoted-printable.ts';
import type { TemplateData } from './compile.ts';

/** Static text; a value to look up; or anything else, which Liquid renders. */
type Segment =
  | { text: string; encoded: EncodedText }
  | { path: readonly string[]; node: Template }
  | { node: Template };

/** Tags that affect what follows them, so the pieces can't be rendered separately. */
const dependent =
  /\{%-?\s*(assign|capture|increment|decrement|cycle|layout|block|render|include|liquid|tablerow)(?!\w)/;
const plainValue = /^\{\{-?\s*([a-z_]\w*(?:\.[a-z_]\w*)*)\s*-?\}\}$/i;
const translatedText = /^\{\{-?\s*(?:'[^']*'|"[^"]*")\s*\|\s*t\s*-?\}\}$/;
/** Reserved words of Liquid. */
const special = /\b(true|false|nil|null|empty|blank|size|first|last)\b/;

export const longestMs = 2000;
const longestText = 32 * 1024 * 1024;

/**
 * A parsed template, split into static text and the rest. Static text is encoded once. Plain values are looked up without
 * Liquid, which takes 5 µs for each. A mail of 6 KB takes a third of the time of rendering and encoding it as a whole.
 */
export class Filling {
  readonly #liquid: Liquid;
  readonly #segments: readonly Segment[];
  readonly #escape: (text: string) => string;
  readonly #whole: readonly Template[];
  readonly #isText: (node: Template) => boolean;
  #endsAt = 0;

  constructor(
    liquid: Liquid,
    nodes: readonly Template[],
    { source, isHtml, isText }: { source: string; isHtml: boolean; isText(node: Template): boolean },
  ) {
    this.#liquid = liquid;
    this.#isText = isText;
    this.#escape = isHtml ? escapeHtml : (text) => text;
    this.#endsAt = performance.now() + longestMs;
    this.#segments = dependent.test(source) ? [] : joined(nodes.map((node) => this.#segmentOf(node)));
    this.#whole = nodes;
  }

  /** Whether Liquid has nothing to do but look up values: then filling it costs no more than its length. */
  get isPlain(): boolean {
    return (
      (this.#segments.length > 0 || this.#whole.length === 0) &&
      this.#segments.every((segment) => !('node' in segment) || 'path' in segment)
    );
  }

  /** Throws Liquid's errors, and `OverBudget` after `withinMs`. */
  text(data: TemplateData, withinMs = longestMs): string {
    this.#endsAt = performance.now() + withinMs;
    if (this.#segments.length === 0) return this.#render(this.#whole, data);
    let text = '';
    for (const segment of this.#segments) {
      text += 'text' in segment ? segment.text : this.#valueOf(segment, data);
      if (text.length > longestText) throw new PismakError('too-large', 'the rendered template is too large');
    }
    return text;
  }

  /** The same as quoted-printable. */
  encoded(data: TemplateData, withinMs = longestMs): Buffer {
    this.#endsAt = performance.now() + withinMs;
    const writer = quotedPrintableWriter;
    writer.clear();
    if (this.#segments.length === 0) writer.write(this.#render(this.#whole, data));
    for (const segment of this.#segments)
      if ('text' in segment) writer.writeEncoded(segment.encoded);
      else writer.write(this.#valueOf(segment, data));
    return writer.take(messageMemory).bytes;
  }

  #segmentOf(node: Template): Segment {
    const { token } = node;
    const source = token.getText();
    if (this.#isText(node)) return staticText((token as unknown as { getContent(): string }).getContent());
    if (translatedText.test(source)) return staticText(this.#render([node], {}));
    const [, path] = plainValue.exec(source) ?? [];
    return path === undefined || special.test(path) ? { node } : { path: path.split('.'), node };
  }

  #valueOf(segment: Exclude<Segment, { text: string }>, data: TemplateData): string {
    if ('path' in segment) {
      const value = lookUp(data, segment.path);
      if (typeof value === 'string') return this.#escape(value);
      if (typeof value === 'number') return String(value);
      if (value === undefined || value === null) return '';
    }
    return this.#render([segment.node], data);
  }

  #render(nodes: readonly Template[], data: TemplateData): string {
    // All pieces share one time limit.
    const renderLimit = Math.max(1, this.#endsAt - performance.now());
    try {
      return this.#liquid.renderSync(nodes as Template[], data, { renderLimit }) as string;
    } catch (error) {
      if (performance.now() >= this.#endsAt) throw new OverBudget(messageOf(error), error);
      throw error;
    }
  }
}

/** The time for a rendering is over. */
export class OverBudget extends PismakError {
  constructor(message: string, cause: unknown) {
    super('invalid-input', message, { cause });
  }
}

const strange = Symbol('for Liquid');

function lookUp(data: TemplateData, path: readonly string[]): unknown {
  let value: unknown = data;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return value === undefined || value === null ? undefined : strange;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value;
}

function staticText(text: string): Segment {
  quotedPrintableWriter.clear();
  quotedPrintableWriter.write(text);
  return { text, encoded: quotedPrintableWriter.take() };
}

/** Merges adjacent texts. */
function joined(segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in segment)
      all[all.length - 1] = staticText(last.text + segment.text);
    else all.push(segment);
  }
  return all;
}
