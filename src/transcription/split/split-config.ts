import { flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

export const splitSettings = {
  TEXT_LAYER: flag(false, 'uses the text layer of a PDF, unless the document says otherwise'),
  PDF_DPI: number(300, 'resolution for rendering PDF pages that are not scans', {
    min: 100,
    max: 600,
  }),
  SPREADS: flag(false, 'divides images of two pages; otherwise they stay one page'),
  VIEWS: flag(true, 'stores a thumbnail and an image of 2,000 pixels of each page, for viewers'),
  PAGE_SECONDS: number(60, 'limit on the processor time for one page, in seconds', { min: 1, max: 3600 }),
  PAGE_MEGABYTES: number(2048, 'limit on the memory for one page', { min: 128, max: 65_536 }),
  PART_SECONDS: number(120, 'after this time a source is interrupted, so that other sources get a turn', {
    min: 1,
    max: 3600,
  }),
  MAX_PAGES: number(10_000, 'limit on pages of a source', { min: 1, max: 100_000 }),
  ...limitSettings,
};

export type SplitConfig = StageConfig<typeof splitSettings>;

export function parseSplitConfig(text: string): SplitConfig {
  return parseStageConfig(text, splitSettings);
}
