import { languageTag } from '../formats/languages.ts';
import type { Page } from '../page/page.ts';
import { lineText } from '../text/text.ts';
import type { Addresses } from './addresses.ts';

/** The lines of a page, in reading order, as annotations of its canvas. */
export function annotationPage(addresses: Addresses, id: string, page: Page | undefined): object {
  const language = languageTag(page?.language);
  const lines = (page?.regions ?? [])
    .flatMap((region) => region.paragraphs)
    .flatMap((paragraph) => paragraph.lines)
    .map((line) => ({ text: lineText(line), box: line.box }))
    .filter(({ text, box }) => text !== '' && box.width > 0 && box.height > 0);
  return {
    '@context': [
      'http://iiif.io/api/extension/text-granularity/context.json',
      'http://iiif.io/api/presentation/3/context.json',
    ],
    id: addresses.annotations(id),
    type: 'AnnotationPage',
    items: lines.map(({ text, box }, index) => ({
      id: `${addresses.annotations(id)}/${index + 1}`,
      type: 'Annotation',
      motivation: 'supplementing',
      textGranularity: 'line',
      body: {
        type: 'TextualBody',
        value: text,
        format: 'text/plain',
        ...(language !== undefined && { language }),
      },
      target: `${addresses.canvas(id)}#xywh=${box.left},${box.top},${box.width},${box.height}`,
    })),
  };
}
