import { defineProcessor } from '../../engine/processor/processor.ts';
import { files } from '../page/files.ts';
import { readOrder, readPage } from '../page/job-page.ts';
import { parseKeywordsConfig } from './config.ts';
import { findKeywords } from './find-keywords.ts';

/** Writes the keywords of a page. */
export default defineProcessor(async (setup) => {
  const { limit } = parseKeywordsConfig(setup.config);
  return async (job) => {
    const page = await readPage(job);
    const found = findKeywords(page, page.language ?? (await readOrder(job)).language, limit);
    await job.files.write(files.keywords, Buffer.from(JSON.stringify(found)));
    job.log(`${found.words} words, ${found.keywords.length} keywords`);
  };
});
