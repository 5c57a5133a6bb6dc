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
  /** auto = native Tesseract where it is installed, else tesseract.js. */
  ENGINE: choice('auto', ['tesseract', 'tesseract.js', 'command']),
  /** For pages whose order doesn't say. */
  LANGUAGE: words('ces'),
  /** How Tesseract divides a page without layout: `tesseract --help-psm`. */
  PSM: number(3, { min: 1, max: 13 }),
  /** Whether the regions that the stage before has found are used. */
  LAYOUT: flag(true),
  /** Directory with models for native Tesseract; its own one when empty. */
  TESSDATA: words(''),
  /** A page that came with its text (a PDF's text layer) is read all the same. */
  AGAIN: flag(false),
  ...limitSettings,
  ...commandSettings,
};

export type RecogniseConfig = StageConfig<typeof settings> & CommandConfig & { programs: string };

/** Throws what the administrator should read. */
export function parseRecogniseConfig(text: string): RecogniseConfig {
  const { ours, programs } = splitConfig(text);
  const config = parseStageConfig(ours, settings);
  if (config.ENGINE === 'command') requireCommand(config);
  if (!Number.isInteger(config.PSM) || config.PSM === 2)
    throw new Error(`PSM must be a whole number with which text is read, found: ${config.PSM}`);
  return { ...config, programs };
}
