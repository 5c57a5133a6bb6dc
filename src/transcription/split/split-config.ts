import { flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

const settings = {
  /** Take the text that a PDF brings along, where there is some. What the document was ordered with comes first. */
  TEXT_LAYER: flag(false),
  /** At which pages of a PDF that are no scans are drawn. */
  PDF_DPI: number(300, { min: 100, max: 600 }),
  /** Of a source. */
  MAX_PAGES: number(10_000, { min: 1, max: 100_000 }),
  ...limitSettings,
};

export type SplitConfig = StageConfig<typeof settings>;

export function parseSplitConfig(text: string): SplitConfig {
  return parseStageConfig(text, settings);
}
