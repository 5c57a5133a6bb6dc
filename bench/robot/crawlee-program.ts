/** The same work with Crawlee: text of every page into one file, links followed. It has a process of its own, as it has in practice. */
import { createWriteStream } from 'node:fs';
import { CheerioCrawler, Configuration } from '@crawlee/cheerio';

const [url = '', output = '', concurrency = '16'] = process.argv.slice(2);
const file = createWriteStream(output);
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    async requestHandler({ $, request, enqueueLinks }) {
      $('script, style').remove();
      file.write(`${JSON.stringify({ url: request.url, text: $('body').text() })}\n`);
      await enqueueLinks();
    },
  },
  new Configuration({ persistStorage: false }),
);
await crawler.run([url]);
await new Promise((resolve) => file.end(resolve));
