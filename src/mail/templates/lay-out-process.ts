import { createRequire } from 'node:module';
import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import type { LayOutAnswer, LayOutQuestion } from './lay-out.ts';
import { liquidTags } from './liquid-tags.ts';

interface MjmlResult {
  html: string;
  errors?: readonly { line?: number; message?: string }[];
}

/** MJML copies colours unchanged, so Liquid is fine there. It computes with sizes, which is impossible with Liquid. */
function isColourFromData(problem: string): boolean {
  const [, value = ''] = /has invalid value: ([^"]*)/.exec(problem) ?? [];
  const begin = value.indexOf('{{');
  return begin >= 0 && value.indexOf('}}', begin + 2) > 0 && problem.includes(' for type Color');
}

type Mjml = (source: string, options: Record<string, unknown>) => Promise<MjmlResult> | MjmlResult;

/** Runs in the process that lay-out.ts starts. */
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
  const fault = errors.find(({ message = '' }) => !isColourFromData(message));
  if (fault) return { html, problem: `line ${fault.line ?? '?'}: ${fault.message ?? 'not valid MJML'}` };
  // MJML's indentation would be half of the bytes of every mail.
  return { html: html.replaceAll(/\n\s*/g, '\n').trim() };
}

/** Sets the language of the mail, which screen readers need. */
function inLanguage(source: string): string {
  return source.replace(/<mjml(?=[\s>])(?![^<>]*\slang=)/i, '<mjml lang="{{ mail.language }}"');
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

/**
 * Inlines the rules of `<style>`, because many mail programs ignore style sheets. Media queries and rules like `:hover` stay in
 * place. Liquid is preserved.
 */
function inlineStyles(html: string): string {
  if (!/<style[\s>]/i.test(html)) return html;
  const tags = liquidTags(html);
  let hidden = '';
  let end = 0;
  for (const [number, { text, index }] of tags.entries()) {
    hidden += `${html.slice(end, index)}liquid-${number}-x`;
    end = index + text.length;
  }
  hidden += html.slice(end);
  const inlined = loadInliner()(hidden, { preserveImportant: true });
  return inlined.replaceAll(/liquid-(\d+)-x/g, (_, index) => tags[Number(index)]?.text ?? '');
}

type Inliner = (html: string, options: object) => string;

/** The copy that comes with MJML. */
function loadInliner(): Inliner {
  const fromMjml = createRequire(createRequire(import.meta.url).resolve('mjml'));
  return createRequire(fromMjml.resolve('mjml-core'))('juice') as Inliner;
}
