import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { isSystemError } from '../../engine/files/system-error.ts';
import { withWorkDirectory } from '../../engine/files/work-directory.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { type Overrun, type UseLimits, watchUse } from '../../engine/processor/watch-use.ts';
import { systemClock } from '../../engine/time/clock.ts';
import type { Box } from '../page/page.ts';
import { modelFingerprint } from './model-fingerprint.ts';
import { readHocr } from './read-hocr.ts';
import { type Orientation, type RecogniseOptions, type Recogniser, textZones } from './recogniser.ts';

export interface NativeTesseractOptions {
  program?: string;
  /** Directory with `LANGUAGE.traineddata`; by default the program's own. */
  tessdata?: string | undefined;
  /** Additional models: language to path. */
  models?: ReadonlyMap<string, string>;
  /** How to segment a page without zones: `tesseract --help-psm`. */
  psm?: number;
  /** For one page. */
  limits?: UseLimits;
}

/** Tesseract's threads slow each other down: one process per core with one thread each is fastest. */
const environment = () => ({ ...process.env, OMP_THREAD_LIMIT: '1' });

/** Each zone is one column of text. Tesseract looks for a zone file only in this mode. */
const zonesPsm = 4;
const logLines = 50;

/**
 * The system's Tesseract; `undefined` if it is not installed. It runs a process per page: loading costs 0.06 s of 2 s
 * (measured, A4 at 200 dpi), and the program reads its whole list of images before it starts, so pages can't be streamed.
 */
export async function openNativeTesseract(
  options: NativeTesseractOptions = {},
): Promise<(Recogniser & { version: string }) | undefined> {
  const { program = 'tesseract', models = new Map<string, string>() } = options;
  const own = options.tessdata === undefined ? [] : ['--tessdata-dir', options.tessdata];
  const found = await installed(program, own);
  if (!found) return undefined;
  const directory = options.tessdata ?? found.directory;
  const languages = [...new Set([...found.languages, ...models.keys()])].sort();
  const modelPath = (language: string) => models.get(language) ?? join(directory, `${language}.traineddata`);
  const fingerprints = new Map<string, Promise<string>>();
  const fingerprint = (language: string) => {
    const known = fingerprints.get(language) ?? modelFingerprint(modelPath(language));
    fingerprints.set(language, known);
    return known;
  };

  return {
    name: 'tesseract',
    version: found.version,
    formats: ['png', 'jpeg', 'tiff', 'webp'],
    async describe(language) {
      const parts = language.split('+').map(async (each) => `${each} ${await fingerprint(each)}`);
      return `tesseract ${found.version}, ${(await Promise.all(parts)).join(', ')}`;
    },
    languages: async () => languages,
    recognise: (image, wanted) =>
      withWorkDirectory(async (work) => {
        await writeFile(join(work, 'page'), image);
        const zones = textZones(wanted.layout);
        if (zones) await writeFile(join(work, 'page.uzn'), zoneFile(zones));
        const names = wanted.language.split('+');
        let tessdata = own;
        if (names.some((name) => models.has(name))) {
          for (const name of names) await symlink(modelPath(name), join(work, `${name}.traineddata`));
          tessdata = ['--tessdata-dir', work];
        }
        const parameters = [
          'page',
          'page',
          '-l',
          wanted.language,
          ...tessdata,
          '--psm',
          String(zones ? zonesPsm : (options.psm ?? 3)),
          '-c',
          'tessedit_create_hocr=1',
          '-c',
          'tessedit_page_number=0',
        ];
        await run(program, parameters, work, wanted, options.limits);
        return { ...readHocr(await readFile(join(work, 'page.hocr'), 'utf8')), language: wanted.language };
      }),
    orientation: (image, wanted) =>
      withWorkDirectory(async (work) => {
        await writeFile(join(work, 'page'), image);
        try {
          await run(
            program,
            ['page', 'page', ...own, '--psm', '0'],
            work,
            { ...wanted, log() {} },
            options.limits,
          );
          return readOrientation(await readFile(join(work, 'page.osd'), 'utf8'));
        } catch (error) {
          wanted.signal.throwIfAborted();
          // Too few letters, or the model osd is not installed.
          wanted.log(`tesseract can't tell the orientation: ${messageOf(error)}`);
          return undefined;
        }
      }),
    async close() {},
  };
}

function readOrientation(text: string): Orientation | undefined {
  const turn = Number(/^Rotate: (\d+)/m.exec(text)?.[1]);
  const confidence = Number(/^Orientation confidence: ([\d.]+)/m.exec(text)?.[1]);
  const isTurn = turn === 0 || turn === 90 || turn === 180 || turn === 270;
  return isTurn && Number.isFinite(confidence) ? { turn, confidence } : undefined;
}

async function installed(program: string, tessdata: string[]) {
  const ask = async (...parameters: string[]) => {
    const { stdout, stderr } = await promisify(execFile)(program, parameters, { env: environment() });
    return stdout + stderr;
  };
  try {
    const version = /tesseract v?(\S+)/.exec(await ask('--version'))?.[1] ?? 'of unknown version';
    const list = await ask('--list-langs', ...tessdata);
    const directory = /"(.*)"/.exec(list)?.[1] ?? '';
    const languages = list
      .split('\n')
      .slice(1)
      .filter((line) => line !== '' && line !== 'osd');
    const prefix = process.env.TESSDATA_PREFIX;
    // Tesseract only says so on stderr, if at all, and other recognisers would read the pages instead.
    if (prefix && tessdata.length === 0 && languages.length === 0)
      throw new PismakError(
        'unavailable',
        `TESSDATA_PREFIX is ${prefix}, but processors find no models there (*.traineddata); name a directory that they can read, outside the data directory, or unset it`,
      );
    return { version, directory, languages };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function run(
  program: string,
  parameters: string[],
  cwd: string,
  wanted: Pick<RecogniseOptions, 'signal' | 'log'>,
  limits: UseLimits | undefined,
) {
  const { signal, log } = wanted;
  const child = spawn(program, parameters, {
    cwd,
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  // Handled below. Without this, aborting before the last line would be an unhandled rejection.
  closed.catch(() => {});
  let overrun: Overrun | undefined;
  const onOverrun = (found: Overrun) => {
    overrun = found;
    child.kill('SIGKILL');
  };
  const stopWatching = limits
    ? watchUse({ pid: () => child.pid, limits, clock: systemClock, onOverrun })
    : () => {};
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    if (said.length >= logLines) continue;
    said.push(line);
    log(`tesseract: ${line}`);
  }
  const [code, killedBy] = await closed.finally(stopWatching);
  if (overrun) throw overrun;
  if (code === 0) return;
  if (killedBy) throw new Error(`tesseract was killed by ${killedBy}`);
  const words = said.slice(-3).join('; ');
  if (/Image too large/i.test(said.join('\n')))
    throw new PermanentFailure(
      'the image is too long for Tesseract, which reads at most 32,767 pixels on each side; cut it into parts, or set ENGINE = pismak',
    );
  if (/cannot be read|pixRead|Unsupported image|Error during processing/i.test(said.join('\n')))
    throw new PermanentFailure(
      `the image can't be read; it may be damaged or in an unknown format: ${words}`,
    );
  throw new Error(`tesseract failed with exit code ${code}: ${words}`);
}

function zoneFile(zones: readonly Box[]): string {
  return zones.map(({ left, top, width, height }) => `${left} ${top} ${width} ${height} Text\n`).join('');
}
