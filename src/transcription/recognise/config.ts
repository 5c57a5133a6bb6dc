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

const settings = {
  ENGINE: choice(
    'auto',
    ['tesseract', 'tesseract.js', 'command'],
    'what reads; auto is native Tesseract where it is installed, else tesseract.js',
  ),
  LANGUAGE: words('ces', 'of pages whose document names none'),
  PSM: number(3, 'how Tesseract divides a page without layout, see tesseract --help-psm', {
    min: 1,
    max: 13,
    whole: true,
  }),
  LAYOUT: flag(true, 'uses the regions that the stage before has found'),
  TESSDATA: words('', 'directory with models for native Tesseract; its own one when empty'),
  AGAIN: flag(false, "reads pages that came with their text (a PDF's text layer) all the same"),
  ...limitSettings,
  ...commandSettings,
};

export type RecogniseConfig = StageConfig<typeof settings> & CommandConfig & { programs: string };

/** Throws what the administrator should read. */
export function parseRecogniseConfig(text: string): RecogniseConfig {
  const { ours, programs } = splitConfig(text);
  const config = parseStageConfig(ours, settings);
  if (config.ENGINE === 'command') requireCommand(config);
  if (config.PSM === 2) throw new Error('PSM = 2 reads no text; 3 is the usual one');
  return { ...config, programs };
}
