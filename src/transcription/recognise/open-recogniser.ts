import { PismakError } from '../../engine/ground/errors.ts';
import { limitsOf } from '../image/image-limits.ts';
import { openCommandRecogniser } from './command.ts';
import type { RecogniseConfig } from './config.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import type { ModelFiles } from './pismak/model.ts';
import { openPismak } from './pismak/pismak.ts';
import type { Recogniser } from './recogniser.ts';
import { openTesseractJs } from './tesseract-js.ts';
import { openTogether } from './together.ts';

const modelEnding = '.traineddata';

/** Opens the configured recogniser. A stage file `NAME.traineddata` adds a language. */
export async function openRecogniser(
  config: RecogniseConfig,
  stageFiles: ReadonlyMap<string, string>,
): Promise<Recogniser> {
  if (config.ENGINE === 'command') return openCommandRecogniser(config, stageFiles);
  const own = { limits: limitsOf(config), files: modelFiles(config.MODEL, stageFiles) };
  if (config.ENGINE === 'pismak') return openPismak(own);
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
  if (config.ENGINE === 'auto') return openBest(native, own, options);
  if (native) return native;
  throw new PismakError(
    'unavailable',
    'ENGINE = tesseract, but tesseract is not installed here: apt-get install tesseract-ocr tesseract-ocr-ces',
  );
}

/** Models are named, never given as paths: only files of the stage are allowed. */
function modelFiles(name: string, stageFiles: ReadonlyMap<string, string>): ModelFiles | undefined {
  if (name === '') return undefined;
  const [network, card] = [stageFiles.get(`${name}.int8.onnx`), stageFiles.get(`${name}.json`)];
  if (network && card) return { name, network, card };
  throw new PismakError(
    'unavailable',
    `MODEL = ${name} needs the files ${name}.int8.onnx and ${name}.json in the stage; it has ${[...stageFiles.keys()].join(', ') || 'none'}`,
  );
}

/**
 * Combines what is installed. Tesseract finds columns, tables and headings better, Pismak's own recogniser reads letters better, so
 * Tesseract reads first and ours reads its unsure lines. Without Tesseract, ours reads, and tesseract.js reads other languages.
 */
async function openBest(
  native: Recogniser | undefined,
  ours: Parameters<typeof openPismak>[0],
  options: { models: ReadonlyMap<string, string>; psm: number },
): Promise<Recogniser> {
  const own = await openPismak(ours).catch(ours.files ? undefined : unlessInstalled);
  if (!own) return native ?? openTesseractJs(options);
  if (native) return openTogether({ first: native, second: own, consulted: true });
  const others = await openTesseractJs(options).catch(unlessInstalled);
  return others ? openTogether({ first: own, second: others, consulted: false }) : own;
}

/** Optional packages may be left out. */
function unlessInstalled(error: unknown): undefined {
  if (error instanceof PismakError && error.code === 'unavailable') return undefined;
  throw error;
}
