import { flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

const settings = {
  TEXT_LAYER: flag(false, 'takes the text that a PDF brings along, unless the document says otherwise'),
  PDF_DPI: number(300, 'resolution at which pages of a PDF that are no scans are drawn', {
    min: 100,
    max: 600,
  }),
  MAX_PAGES: number(10_000, 'most pages of a source', { min: 1, max: 100_000 }),
  ...limitSettings,
};

export type SplitConfig = StageConfig<typeof settings>;

export function parseSplitConfig(text: string): SplitConfig {
  return parseStageConfig(text, settings);
}
