import { defineProcessor } from '../../engine/processor/processor.ts';
import { limitsOf } from '../image/image-limits.ts';
import { readGrey } from '../image/open-image.ts';
import { files } from '../page/files.ts';
import { describeSteps, turnAndScale } from '../page/transformation.ts';
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
    const unchanged = { ...turnAndScale(page, 0, 0, 1), steps: [] };
    const prepared = await prepareImage(page, config);
    if (prepared) job.files.write(files.image, prepared.png);
    const { steps, ...shape } = prepared?.transformation ?? unchanged;
    job.files.write(files.prepared, Buffer.from(JSON.stringify({ ...shape, steps })));
    job.log(prepared ? describeSteps(steps) : 'nothing to improve; the page is used unchanged');
  };
});
