import type { Liquid, Template } from 'liquidjs';
import { PismakError } from '../../engine/ground/errors.ts';
import type { EncodedContent } from '../mime/build-message.ts';
import type { MailType } from '../model/mail-type.ts';
import { Filling, OverBudget } from './filling.ts';
import { type LaidOut, layOut } from './lay-out.ts';
import { pluralIndex } from './plural.ts';

/** Values available to a template. */
export type TemplateData = Readonly<Record<string, unknown>>;

export interface Rendered {
  subject: string;
  html: string;
  text: string;
}

/** A template of one version of a type in one language, ready to be filled. */
export interface CompiledTemplate {
  /** Throws `invalid-input` with the line of the template that failed, and `OverBudget` if a part takes longer than `withinMs`. */
  render(data: TemplateData, subject?: string, withinMs?: number): Rendered;
  /** Like `render`, with html and text in quoted-printable. Text that all mails share is encoded once. */
  encode(data: TemplateData, subject?: string, withinMs?: number): EncodedContent;
  /** Whether it only looks up values, so that rendering costs no more than its length. */
  readonly isPlain: boolean;
  /** Strings rendered so far that have no translation into this language. */
  readonly missing: ReadonlySet<string>;
}

/** The parts of a type that are compiled. With `laidOut`, it is already laid out. */
export type TemplateOf = Pick<
  MailType,
  'code' | 'template' | 'text' | 'subject' | 'translations' | 'language'
> & { laidOut?: LaidOut | undefined };

const mostMissing = 1000;
const longestSubject = 10_000;

/** Template authors are not trusted: no files, no prototypes, no endless loops. */
const limits = { parseLimit: 2_000_000, renderLimit: 2000, memoryLimit: 50_000_000 };

/** Compiles a type. Throws `invalid-input` with the line if the template or subject is wrong. */
export async function compileTemplate(type: TemplateOf, language: string): Promise<CompiledTemplate> {
  const { Liquid, TokenKind } = await import('liquidjs');
  const missing = new Set<string>();
  const options = {
    ownPropertyOnly: true,
    strictFilters: true,
    relativeReference: false,
    templates: {},
    ...limits,
  };
  const forHtml = new Liquid({ ...options, outputEscape: 'escape' });
  const forText = new Liquid(options);
  const translate = translator(type, language, missing);
  for (const liquid of [forHtml, forText]) liquid.registerFilter('t', translate);

  // Parse the source before its layout, so that errors name the author's lines.
  parse(forHtml, type.template, type.code, type.template);
  const { html, text } = type.laidOut ?? (await layOut(type.template, type.code, type.text === undefined));
  const derived = type.text ?? text;
  const isText = ({ token }: Template) => token.kind === TokenKind.HTML;
  const prepare = (liquid: Liquid, source: string, place: string, written: string) => ({
    filling: new Filling(liquid, parse(liquid, source, place, written), {
      source,
      isHtml: liquid === forHtml,
      isText,
    }),
    place,
    written,
  });
  const htmlPart = prepare(forHtml, html, type.code, type.template);
  const textPart = prepare(forText, derived, `${type.code} (text)`, type.text ?? type.template);
  const subjectOf = (subject: string) => prepare(forText, subject, `${type.code} (subject)`, subject);
  const usualSubject = subjectOf(type.subject);
  const subjectText = (data: TemplateData, subject: string | undefined, withinMs: number | undefined) =>
    oneLine(textOf(subject === undefined ? usualSubject : subjectOf(subject), data, withinMs));

  return {
    missing,
    isPlain: [usualSubject, htmlPart, textPart].every(({ filling }) => filling.isPlain),
    render: (data, subject, withinMs) => ({
      subject: subjectText(data, subject, withinMs),
      html: textOf(htmlPart, data, withinMs),
      text: textOf(textPart, data, withinMs),
    }),
    encode: (data, subject, withinMs) => ({
      subject: subjectText(data, subject, withinMs),
      html: attempt(htmlPart, (filling) => filling.encoded(data, withinMs)),
      text: attempt(textPart, (filling) => filling.encoded(data, withinMs)),
    }),
  };
}

interface Part {
  filling: Filling;
  /** Its name in errors, and the author's source. */
  place: string;
  written: string;
}

const textOf = (part: Part, data: TemplateData, withinMs: number | undefined) =>
  attempt(part, (filling) => filling.text(data, withinMs));

function attempt<Result>({ filling, place, written }: Part, work: (filling: Filling) => Result): Result {
  try {
    return work(filling);
  } catch (error) {
    if (error instanceof OverBudget)
      throw new OverBudget(templateError(error.cause, place, written).message, error.cause);
    throw error instanceof PismakError ? error : templateError(error, place, written);
  }
}

/** `{{ 'Hello' | t }}`, and with a number `{{ 'one item' | t: 'many items', count }}`. */
function translator(
  { translations, language: original }: Pick<MailType, 'translations' | 'language'>,
  language: string,
  missing: Set<string>,
) {
  // cs-CZ falls back to cs.
  const known = translations[language] ?? translations[language.split('-')[0] ?? ''] ?? {};
  const isOriginal = language === original;
  return (text: unknown, plural?: unknown, count?: unknown) => {
    const source = String(text ?? '');
    const found = Object.hasOwn(known, source) ? known[source] : undefined;
    // Texts may come from data, and differ in each of a million mails.
    if (found === undefined && !isOriginal && missing.size < mostMissing) missing.add(source);
    if (plural === undefined) return Array.isArray(found) ? (found[0] ?? source) : (found ?? source);
    const number = Number(count);
    const forms = Array.isArray(found) ? found : found !== undefined ? [found] : [source, String(plural)];
    const spoken = found === undefined ? original : language;
    return forms[Math.min(pluralIndex(spoken, number), forms.length - 1)] ?? source;
  };
}

function parse(liquid: Liquid, text: string, what: string, source: string): Template[] {
  try {
    return liquid.parse(text);
  } catch (error) {
    throw templateError(error, what, source);
  }
}

/** Names the author's line: layout moves text, so the faulty piece is looked up in the source. */
function templateError(error: unknown, what: string, source: string): PismakError {
  const { token, originalError, message } = error as {
    token?: { getText(): string; getPosition(): number[] };
    originalError?: Error;
    message: string;
  };
  const piece = token?.getText() ?? '';
  const at = piece === '' ? -1 : source.indexOf(piece);
  const line = at >= 0 ? source.slice(0, at).split('\n').length : token?.getPosition()[0];
  const reason = (originalError?.message ?? message).split('\n')[0];
  const where = line === undefined ? '' : `, line ${line}`;
  return new PismakError(
    'invalid-input',
    `template ${what}${where}: ${reason}${piece ? ` in ${piece.slice(0, 80)}` : ''}`,
  );
}

/** Data may contain line breaks and control characters; a subject must not. */
function oneLine(text: string): string {
  if (text.length > longestSubject)
    throw new PismakError('too-large', `the rendered subject is longer than ${longestSubject} characters`);
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
