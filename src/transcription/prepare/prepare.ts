import { defineProcessor } from '../../engine/processor/processor.ts';
import { files } from '../files.ts';
import { limitsOf } from '../image/image-limits.ts';
import { readGrey } from '../image/open-image.ts';
import { parsePrepareConfig } from './prepare-config.ts';
import { prepareImage } from './prepare-image.ts';

/** Makes the image to recognise from the original page. */
export default defineProcessor(async (setup) => {
  const config = parsePrepareConfig(setup.config);
  const limits = limitsOf(config);
  return async (job) => {
    if (job.files.names().includes(files.page)) {
      job.log('the page came with text, so its image is left unchanged');
      return;
    }
    const page = await readGrey(await job.files.read(files.source), limits);
    const prepared = await prepareImage(page, config);
    if (!prepared) {
      job.log('nothing to improve; the page is used unchanged');
      return;
    }
    job.files.write(files.image, prepared.png);
    job.files.write(files.prepared, Buffer.from(JSON.stringify(prepared.transformation)));
    job.log(prepared.steps.join('; '));
  };
});
