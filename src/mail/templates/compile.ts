import type { Liquid, Template } from 'liquidjs';
import { PismakError } from '../../engine/errors.ts';
import type { EncodedContent } from '../mime/build-message.ts';
import type { MailType } from '../model/mail-type.ts';
import { Filling } from './filling.ts';
import { type LaidOut, layOut } from './lay-out.ts';
import { pluralIndex } from './plural.ts';

/** What a template may show. */
export type TemplateData = Readonly<Record<string, unknown>>;

export interface Rendered {
  subject: string;
  html: string;
  text: string;
}

/** A template of one version of a type in one language, ready to be filled. */
export interface CompiledTemplate {
  /** Throws `invalid-input` with the line of the template that failed. */
  render(data: TemplateData, subject?: string): Rendered;
  /** The same, with html and text as quoted-printable: what is the same in all mails is encoded once. */
  encode(data: TemplateData, subject?: string): EncodedContent;
  /** Strings that were rendered and have no translation into this language. */
  readonly missing: ReadonlySet<string>;
}

/** What is compiled of a type. With `laidOut`, its layout was made before. */
export type TemplateOf = Pick<
  MailType,
  'code' | 'template' | 'text' | 'subject' | 'translations' | 'language'
> & { laidOut?: LaidOut | undefined };

const mostMissing = 1000;

/** Templates are written by people who need not be trusted: no files, no prototypes, no endless loops. */
const limits = { parseLimit: 2_000_000, renderLimit: 2000, memoryLimit: 50_000_000 };

/** Compiles a type once. Throws `invalid-input` if template or subject are wrong, with the line. */
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

  // Errors shall name lines as the author sees them, so the source is parsed before it is laid out.
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
  const subjectText = (data: TemplateData, subject: string | undefined) =>
    oneLine(textOf(subject === undefined ? usualSubject : subjectOf(subject), data));

  return {
    missing,
    render: (data, subject) => ({
      subject: subjectText(data, subject),
      html: textOf(htmlPart, data),
      text: textOf(textPart, data),
    }),
    encode: (data, subject) => ({
      subject: subjectText(data, subject),
      html: attempt(htmlPart, (filling) => filling.encoded(data)),
      text: attempt(textPart, (filling) => filling.encoded(data)),
    }),
  };
}

interface Part {
  filling: Filling;
  /** What errors call it, and the text as its author wrote it. */
  place: string;
  written: string;
}

const textOf = (part: Part, data: TemplateData) => attempt(part, (filling) => filling.text(data));

function attempt<Result>({ filling, place, written }: Part, work: (filling: Filling) => Result): Result {
  try {
    return work(filling);
  } catch (error) {
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
    // Texts may be data, different in each of a million mails.
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

/** The line is that of the author's text: layout moves everything, so the faulty piece is looked up there. */
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
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
