import { checkAllowed } from '../../engine/processor/command/allowed-programs.ts';
import {
  type CommandConfig,
  commandSettings,
  requireCommand,
  splitConfig,
} from '../../engine/processor/command/command-config.ts';
import {
  choice,
  flag,
  number,
  parseStageConfig,
  type StageConfig,
  words,
} from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

export const recogniseSettings = {
  ENGINE: choice(
    'auto',
    ['tesseract', 'tesseract.js', 'pismak', 'command'],
    "the recogniser; pismak is Pismak's own; auto is Tesseract, and pismak for what Tesseract is unsure of; without Tesseract, pismak alone",
  ),
  MODEL: words(
    '',
    "a model for pismak among the stage's files, NAME.int8.onnx and NAME.json; the package's own when empty",
  ),
  LANGUAGE: words('auto', 'language of pages whose document names none; auto: guess'),
  PSM: number(3, 'how Tesseract segments a page without layout, see tesseract --help-psm', {
    min: 1,
    max: 13,
    whole: true,
  }),
  LAYOUT: flag(true, 'uses the regions found by the layout stage'),
  TESSDATA: words('', 'directory with models for native Tesseract; its default when empty'),
  CAREFUL: flag(true, 'reads unsure pages again (turned, unprepared, cleaned) and keeps the surer reading'),
  SPREADS: flag(true, 'reads the two pages of a spread one after the other, as one page with two regions'),
  AGAIN: flag(false, "recognises pages even if they come with text (a PDF's text layer)"),
  PAGE_SECONDS: number(300, 'limit on the processor time of native Tesseract for one page, in seconds', {
    min: 1,
    max: 36_000,
  }),
  PAGE_MEGABYTES: number(4096, 'limit on the memory of native Tesseract', { min: 128, max: 65_536 }),
  ...limitSettings,
  ...commandSettings,
};

export type RecogniseConfig = StageConfig<typeof recogniseSettings> & CommandConfig & { programs: string };

/** Also checks that this machine allows the program. */
export function checkRecogniseConfig(text: string, { commands }: { commands: readonly string[] }): void {
  const { ENGINE, COMMAND } = parseRecogniseConfig(text);
  if (ENGINE === 'command') checkAllowed(COMMAND, commands);
}

/** Throws errors meant for the administrator. */
export function parseRecogniseConfig(text: string): RecogniseConfig {
  const { ours, programs } = splitConfig(text);
  const config = parseStageConfig(ours, recogniseSettings);
  if (config.ENGINE === 'command') requireCommand(config);
  if (config.MODEL !== '' && !/^[\w-]{1,60}$/.test(config.MODEL))
    throw new Error('MODEL must name a model among the files of the stage: letters, digits, _ and -');
  if (config.PSM === 2) throw new Error('PSM = 2 reads no text; use 3');
  return { ...config, programs };
}
