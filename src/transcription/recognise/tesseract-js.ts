import { symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PSM, Worker } from 'tesseract.js';
import { withWorkDirectory } from '../../engine/files/work-directory.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { unlessAborted } from '../../engine/time/deadline.ts';
import type { Box, Page } from '../page/page.ts';
import { modelFingerprint } from './model-fingerprint.ts';
import { readHocr } from './read-hocr.ts';
import { type RecogniseOptions, type Recogniser, textZones } from './recogniser.ts';

const require = createRequire(import.meta.url);

/** A zone is one column of text. */
const zonePsm = 4;

/** Languages whose models we ship as npm packages. */
export const packagedLanguages = ['ces', 'deu', 'eng', 'slk'];

/**
 * Tesseract compiled for JavaScript: needs no installation and no network, but takes 2 to 3 times as long as the native one.
 * Models stay loaded until another language is asked for.
 */
export async function openTesseractJs(options: {
  /** Models in addition to the packaged ones: language to path. */
  models?: ReadonlyMap<string, string>;
  psm?: number;
}): Promise<Recogniser> {
  const library = await loadLibrary();
  const models = new Map([...packagedModels(), ...(options.models ?? [])]);
  const { version } = require('tesseract.js/package.json') as { version: string };
  let loaded: { language: string; worker: Worker } | undefined;

  async function close(): Promise<void> {
    const worker = loaded?.worker;
    loaded = undefined;
    await worker?.terminate();
  }

  async function workerFor(language: string): Promise<Worker> {
    if (loaded?.language === language) return loaded.worker;
    await close();
    const names = language.split('+');
    const worker = await withWorkDirectory(async (directory) => {
      for (const name of names) {
        // The library detects compression by content, but the name must end like this.
        await symlink(models.get(name) ?? name, join(directory, `${name}.traineddata.gz`));
      }
      return startWorker(library, names, directory);
    });
    loaded = { language, worker };
    return worker;
  }

  return {
    name: 'tesseract.js',
    formats: ['png', 'jpeg'],
    async describe(language) {
      const parts = language
        .split('+')
        .map(async (name) => `${name} ${await modelFingerprint(models.get(name) ?? name)}`);
      return `tesseract.js ${version}, ${(await Promise.all(parts)).join(', ')}`;
    },
    languages: async () => [...models.keys()].sort(),
    async recognise(image, wanted) {
      const worker = await workerFor(wanted.language);
      const stop = () => void close();
      wanted.signal.addEventListener('abort', stop, { once: true });
      try {
        const page = await readZones(worker, image, wanted, options.psm ?? 3);
        return { ...page, language: wanted.language };
      } finally {
        wanted.signal.removeEventListener('abort', stop);
      }
    },
    close,
  };
}

/** Reads zone by zone, because this build takes no list of zones. */
async function readZones(
  worker: Worker,
  image: Uint8Array,
  { layout, signal }: RecogniseOptions,
  wholePsm: number,
): Promise<Page> {
  const zones = textZones(layout);
  const read = async (rectangle?: Box) => {
    const options = rectangle ? { rectangle } : {};
    const answer = worker.recognize(Buffer.from(image), options, { text: false, hocr: true });
    // A terminated worker never answers.
    const { data } = await unlessAborted(answer, signal).catch((error) => {
      if (!/read image/.test(messageOf(error))) throw error;
      const reason = `the image can't be read; it may be damaged or in an unknown format: ${messageOf(error)}`;
      throw new PermanentFailure(reason);
    });
    return readHocr(data.hocr ?? '', layout);
  };
  const parameters = {
    tessedit_pageseg_mode: String(zones ? zonePsm : wholePsm) as PSM,
    // 0 = take it from the image, or estimate it.
    user_defined_dpi: String(Math.round(layout?.dpi ?? 0)),
  };
  await unlessAborted(worker.setParameters(parameters), signal);
  if (!zones || !layout) return read();
  const regions: Page['regions'] = [];
  for (const zone of zones) {
    // A rectangle as wide as the image is read as noise (Tesseract 5, compiled for JavaScript).
    const wide = zone.width >= layout.width;
    const rectangle = wide ? { ...zone, left: 1, width: layout.width - 1 } : zone;
    regions.push(...(await read(rectangle)).regions);
  }
  return { ...layout, regions };
}

/** Its version; undefined if the optional package is not installed. Doesn't load it. */
export function tesseractJsVersion(): string | undefined {
  try {
    return (require('tesseract.js/package.json') as { version: string }).version;
  } catch {
    return undefined;
  }
}

type Library = typeof import('tesseract.js');

async function loadLibrary(): Promise<Library> {
  const module = await import('tesseract.js').catch((cause) => {
    const advice =
      'no recogniser is installed: apt-get install tesseract-ocr tesseract-ocr-ces, or npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
  return module.default;
}

async function startWorker(library: Library, names: string[], langPath: string): Promise<Worker> {
  const failed = Promise.withResolvers<never>();
  // A failed call throws the same error, except during the start: then only this handler gets it.
  const errorHandler = (reason: unknown) => failed.reject(new Error(String(reason)));
  failed.promise.catch(() => {});
  const options = { langPath, gzip: true, cacheMethod: 'none', errorHandler };
  return Promise.race([library.createWorker(names, library.OEM.LSTM_ONLY, options), failed.promise]);
}

function packagedModels(): [string, string][] {
  return packagedLanguages.flatMap((language): [string, string][] => {
    try {
      const directory = dirname(require.resolve(`@tesseract.js-data/${language}/package.json`));
      return [[language, join(directory, '4.0.0_best_int', `${language}.traineddata.gz`)]];
    } catch {
      // An optional package that is not installed.
      return [];
    }
  });
}
