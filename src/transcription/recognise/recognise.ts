import { sweepWorkDirectories } from '../../engine/files/work-directory.ts';
import { defineProcessor, type Job } from '../../engine/processor/processor.ts';
import { readStageFiles } from '../../engine/processor/stage-files.ts';
import { limitsOf } from '../image/image-limits.ts';
import { files } from '../page/files.ts';
import { readLayout, readOrder, readTransformation, writePage } from '../page/job-page.ts';
import type { Page } from '../page/page.ts';
import { checkRecogniseConfig, parseRecogniseConfig } from './config.ts';
import { languageFor } from './guess-language.ts';
import { openRecogniser } from './open-recogniser.ts';
import { type CarefulReading, readCarefully, readChosen, readOnce } from './read-carefully.ts';
import { readableImage } from './readable-image.ts';
import { textZones } from './recogniser.ts';

/** Reads the text of a page: from its image (or else its source) and its layout to `page.json`. */
export default defineProcessor(async (setup) => {
  checkRecogniseConfig(setup.config, { commands: setup.commands ?? [] });
  const config = parseRecogniseConfig(setup.config);
  const recogniser = await openRecogniser(config, await readStageFiles(setup));
  const known = await recogniser.languages();
  await sweepWorkDirectories();

  async function recognise(job: Job): Promise<void> {
    const { files: given, signal } = job;
    const log = (line: string) => job.log(line);
    const names = given.names();
    if (names.includes(files.page) && !config.AGAIN)
      return log('the page came with text, so there is nothing to recognise');
    const asked = names.includes(files.order) ? (await readOrder(job)).language : config.LANGUAGE;
    const language = await languageFor(asked, { job, recogniser, known, limits: limitsOf(config) });
    const producer = `${await recogniser.describe(language)}, stage ${setup.stage} version ${setup.version}`;
    log(producer);
    if (config.ENGINE === 'auto' && recogniser.name === 'tesseract.js')
      log('native Tesseract would be faster but is not installed here: apt-get install tesseract-ocr');
    const layout = config.LAYOUT ? await readLayout(job) : undefined;
    const image = names.includes(files.image)
      ? await given.read(files.image)
      : await readableImage(await given.read(files.source), recogniser.formats, limitsOf(config), {
          // Earlier stages have decoded it if they ran.
          isChecked: names.includes(files.prepared) || names.includes(files.layout),
        });
    const toRead = {
      recogniser,
      image,
      source: await given.read(files.source),
      limits: limitsOf(config),
      transformation: await readTransformation(job),
      options: { language, layout, signal, log },
      spreads: config.SPREADS,
    };
    // Keep the regions of a layout stage, and the order of a custom recogniser.
    const isOthers = config.ENGINE === 'command' || textZones(layout) !== undefined;
    const { page: read, turned }: CarefulReading = isOthers
      ? { page: await readChosen(toRead) }
      : config.CAREFUL
        ? await readCarefully(toRead)
        : { page: await readOnce(toRead) };
    if (turned) {
      given.write(files.image, turned.image);
      given.write(files.prepared, Buffer.from(JSON.stringify(turned.transformation)));
    }
    await writePage(job, { ...read, producer });
    log(summary(read));
  }
  return Object.assign(recognise, { close: () => recogniser.close() });
});

function summary({ regions }: Page): string {
  const lines = regions.flatMap((region) => region.paragraphs.flatMap((paragraph) => paragraph.lines));
  const words = lines.flatMap((line) => line.words);
  const sure = words.reduce((sum, word) => sum + (word.confidence ?? 0), 0) / words.length;
  if (words.length === 0) return 'no text was found on the page';
  return `${words.length} words in ${lines.length} lines, confidence ${(sure * 100).toFixed(0)} %`;
}
