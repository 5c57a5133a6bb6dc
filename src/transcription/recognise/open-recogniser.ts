import { PismakError } from '../../engine/errors.ts';
import { limitsOf } from '../image/image-limits.ts';
import { openCommandRecogniser } from './command.ts';
import type { RecogniseConfig } from './config.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import { openPismak } from './pismak/pismak.ts';
import type { Recogniser } from './recogniser.ts';
import { openTesseractJs } from './tesseract-js.ts';

const modelEnding = '.traineddata';

/** Opens the configured recogniser. A stage file `NAME.traineddata` adds a language. */
export async function openRecogniser(
  config: RecogniseConfig,
  stageFiles: ReadonlyMap<string, string>,
): Promise<Recogniser> {
  if (config.ENGINE === 'command') return openCommandRecogniser(config, stageFiles);
  if (config.ENGINE === 'pismak') return openPismak({ limits: limitsOf(config) });
  const models = new Map(
    [...stageFiles]
      .filter(([name]) => name.endsWith(modelEnding))
      .map(([name, path]) => [name.slice(0, -modelEnding.length), path]),
  );
  const options = { models, psm: config.PSM };
  if (config.ENGINE === 'tesseract.js') return openTesseractJs(options);
  const native = await openNativeTesseract({
    ...options,
    tessdata: config.TESSDATA || undefined,
    limits: { seconds: config.PAGE_SECONDS, memoryMb: config.PAGE_MEGABYTES },
  });
  if (native) return native;
  if (config.ENGINE === 'auto') return openTesseractJs(options);
  throw new PismakError(
    'unavailable',
    'ENGINE = tesseract, but tesseract is not installed here: apt-get install tesseract-ocr tesseract-ocr-ces',
  );
}
