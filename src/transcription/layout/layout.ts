import { defineProcessor } from '../../engine/processor/processor.ts';
import { limitsOf } from '../image/image-limits.ts';
import { readGrey } from '../image/open-image.ts';
import { files } from '../page/files.ts';
import type { Page } from '../page/page.ts';
import { findRegions } from './find-regions.ts';
import { parseLayoutConfig } from './layout-config.ts';

/** Finds the text on a page and its reading order. Without regions, the recogniser divides the page itself. */
export default defineProcessor(async (setup) => {
  const config = parseLayoutConfig(setup.config);
  const limits = limitsOf(config);
  return async (job) => {
    const names = job.files.names();
    if (names.includes(files.page)) {
      job.log('the page came with text, so no layout is needed');
      return;
    }
    if (!config.COLUMNS) {
      job.log('the recogniser divides the page');
      return;
    }
    const name = names.includes(files.image) ? files.image : files.source;
    const image = await readGrey(await job.files.read(name), limits);
    const { width, height, dpi } = image;
    const regions = findRegions(image);
    const page: Page = { width, height, ...(dpi === undefined ? {} : { dpi }), regions };
    job.files.write(files.layout, Buffer.from(JSON.stringify(page)));
    job.log(regions.length === 0 ? 'one block' : regions.map((region) => region.kind).join(', '));
  };
});
