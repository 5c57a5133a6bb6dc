import { createRequire } from 'node:module';

const liquidTag = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;

/**
 * Moves the rules of `<style>` into the elements: many mail programs read nothing else. Media queries and rules like
 * `:hover` stay where they are. Liquid comes out as it went in, wherever it stands.
 */
export function inlineStyles(html: string): string {
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
