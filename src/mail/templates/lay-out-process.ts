import { createRequire } from 'node:module';
import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import type { LayOutAnswer, LayOutQuestion } from './lay-out.ts';

interface MjmlResult {
  html: string;
  errors?: readonly { line?: number; message?: string }[];
}

/** MJML takes a colour as it is, so Liquid may stand for one. Of sizes it makes others, and can't compute with Liquid. */
const colourFromData = /has invalid value: [^"]*\{\{[^"]*\}\}.* for type Color/;

type Mjml = (source: string, options: Record<string, unknown>) => Promise<MjmlResult> | MjmlResult;

/** What lay-out.ts runs apart: see there. */
answerQuestions<LayOutQuestion, LayOutAnswer>(async ({ template, wantsText }) => {
  const { html, problem } = await layOut(template);
  if (problem !== undefined) return { problem };
  return { html, text: wantsText ? await deriveText(html) : '' };
});

async function layOut(source: string): Promise<{ html: string; problem?: string }> {
  if (!/<mjml[\s>]/i.test(source)) return { html: inlineStyles(source) };
  // @ts-expect-error: the package has no types of its own
  const { default: mjml2html } = (await import('mjml')) as { default: Mjml };
  // No includes: a template must not read files of the mail server. No fonts: a third party would learn who opens which mail.
  const { html, errors = [] } = await mjml2html(inLanguage(source), {
    validationLevel: 'soft',
    keepComments: false,
    ignoreIncludes: true,
    fonts: {},
  });
  const fault = errors.find(({ message = '' }) => !colourFromData.test(message));
  if (fault) return { html, problem: `line ${fault.line ?? '?'}: ${fault.message ?? 'not valid MJML'}` };
  // MJML indents deeply, which every mail would carry along: half of its bytes.
  return { html: html.replaceAll(/\n\s*/g, '\n').trim() };
}

/** Says which language the mail is in: programs that read it aloud need to know. */
function inLanguage(source: string): string {
  return source.replace(/<mjml(?![^>]*\slang=)(?=[\s>])/i, '<mjml lang="{{ mail.language }}"');
}

async function deriveText(html: string): Promise<string> {
  // @ts-expect-error: the package has no types of its own
  const { convert } = (await import('html-to-text')) as { convert(html: string, options: object): string };
  return convert(html, {
    wordwrap: false,
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ],
  });
}

const liquidTag = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;

/**
 * Moves the rules of `<style>` into the elements: many mail programs read nothing else. Media queries and rules like
 * `:hover` stay where they are. Liquid comes out as it went in, wherever it stands.
 */
function inlineStyles(html: string): string {
  if (!/<style[\s>]/i.test(html)) return html;
  const tags: string[] = [];
  const hidden = html.replaceAll(liquidTag, (tag) => `liquid-${tags.push(tag) - 1}-x`);
  const inlined = loadInliner()(hidden, { preserveImportant: true });
  return inlined.replaceAll(/liquid-(\d+)-x/g, (_, index) => tags[Number(index)] ?? '');
}

type Inliner = (html: string, options: object) => string;

/** The one that MJML uses and brings along. */
function loadInliner(): Inliner {
  const fromMjml = createRequire(createRequire(import.meta.url).resolve('mjml'));
  return createRequire(fromMjml.resolve('mjml-core'))('juice') as Inliner;
}
