import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import { type Converted, convertDocument, kindOf, readFeed, readSitemap } from '../text/index.ts';
import type { ConvertQuestion } from './converter.ts';

/** The process in which files of other formats are read: such a file may hang a library or take all memory. */
answerQuestions<ConvertQuestion, Converted | null>(async ({ bytes, url, contentType }) => {
  const kind = kindOf(bytes, { url, contentType });
  if (kind === 'sitemap') {
    const links: string[] = [];
    const source = (async function* () {
      yield bytes;
    })();
    for await (const entry of readSitemap(source)) links.push(entry.url);
    return { kind, text: '', links };
  }
  if (kind === 'feed') {
    const { title, items, links } = readFeed(bytes, { url, contentType });
    return { kind, title, text: '', links: [...items.flatMap((item) => item.url ?? []), ...links] };
  }
  return (await convertDocument(bytes, { url, contentType })) ?? null;
});
