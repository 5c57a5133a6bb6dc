import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../engine/time/clock.ts';
import type { EncodedContent } from '../mime/build-message.ts';
import {
  type CompiledTemplate,
  compileTemplate,
  type Rendered,
  type TemplateData,
  type TemplateOf,
} from './compile.ts';
import { OverBudget } from './filling.ts';
import { layOut } from './lay-out.ts';
import { RenderThreads } from './render-threads.ts';

/** Whose mail is rendered, and the size of its fields. */
export interface Whose {
  owner: string;
  bytes: number;
}

/** A template of a version in a language. */
export interface TemplateToFill {
  render(data: TemplateData, subject: string | undefined, whose: Whose): Rendered | Promise<Rendered>;
  encode(
    data: TemplateData,
    subject: string | undefined,
    whose: Whose,
  ): EncodedContent | Promise<EncodedContent>;
}

export type FairTemplate = TemplateToFill & {
  /** For previews: with the texts that have no translation. */
  preview(data: TemplateData, whose: Whose): Promise<Rendered & { missing: readonly string[] }>;
};

/** How long a mail may keep the main thread; most take a tenth of a millisecond. */
const briefMs = 10;
/** A user whose mail took longer renders apart for this time. */
const apartMs = 60_000;
/** Data of this size can't keep a filter without a loop for long. */
const smallData = 64 * 1024;
/** Templates with more than this are compiled in the thread, which takes about 5 µs for each tag. */
const mostTags = 2000;
const longestSource = 1024 * 1024;
const tag = /\{[{%]/g;

/**
 * Renders most mails at once, on the main thread, and the others in threads: a thread for each user, so that the mails of one
 * don't delay those of others. To the threads go subjects that users wrote as templates, templates with loops or filters over much
 * data or that turned out to be slow, and very large templates.
 */
export class FairTemplates {
  readonly #clock: Clock;
  readonly #threads: RenderThreads;
  /** Users with a slow mail, and until when they render apart. */
  readonly #slow = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#threads = new RenderThreads(clock);
  }

  async template(type: TemplateOf & { version: number }, language: string): Promise<FairTemplate> {
    const laidOut = type.laidOut ?? (await layOut(type.template, type.code, type.text === undefined));
    const ready = { ...type, laidOut };
    const compiled = isHeavy(ready) ? undefined : await compileTemplate(ready, language);
    const job = (data: TemplateData, subject?: string) => ({
      type: ready,
      version: type.version,
      language,
      data,
      subject,
    });
    return {
      render: (data, subject, whose) =>
        this.#here(compiled, subject, whose, (template) => template.render(data, subject, briefMs)) ??
        this.#threads.render(whose.owner, job(data, subject)),
      encode: (data, subject, whose) =>
        this.#here(compiled, subject, whose, (template) => template.encode(data, subject, briefMs)) ??
        this.#threads.encode(whose.owner, job(data, subject)),
      preview: (data, { owner }) => this.#threads.render(owner, job(data)),
    };
  }

  close(): void {
    this.#threads.close();
  }

  /** The result on this thread; undefined if it must be made in another. */
  #here<Result>(
    compiled: CompiledTemplate | undefined,
    subject: string | undefined,
    { owner, bytes }: Whose,
    work: (template: CompiledTemplate) => Result,
  ): Result | undefined {
    if (!compiled || (subject !== undefined && countMatches(subject) > 0)) return undefined;
    if (!compiled.isPlain && (bytes > smallData || this.#isSlow(owner))) return undefined;
    try {
      return work(compiled);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      this.#slow.set(owner, this.#clock.now() + apartMs);
      return undefined;
    }
  }

  #isSlow(owner: string): boolean {
    const until = this.#slow.get(owner);
    if (until === undefined) return false;
    if (until > this.#clock.now()) return true;
    this.#slow.delete(owner);
    return false;
  }
}

/** Throws `invalid-input` with the line that is wrong, if the template does not compile in one of the languages. */
export async function checkTemplates(
  clock: Clock,
  type: TemplateOf,
  languages: readonly string[],
): Promise<void> {
  const threads = isHeavy(type) ? new RenderThreads(clock) : undefined;
  try {
    for (const language of new Set(languages)) {
      if (threads) await threads.check('', { type, version: 'new', language });
      else await compileTemplate(type, language);
      await setImmediate();
    }
  } finally {
    threads?.close();
  }
}

function isHeavy({ template, text = '', laidOut }: TemplateOf): boolean {
  const all = [template, text, laidOut?.html ?? '', laidOut?.text ?? ''];
  return (
    all.reduce((sum, one) => sum + one.length, 0) > longestSource ||
    all.reduce((sum, one) => sum + countMatches(one), 0) > mostTags
  );
}

function countMatches(text: string): number {
  return text.match(tag)?.length ?? 0;
}
