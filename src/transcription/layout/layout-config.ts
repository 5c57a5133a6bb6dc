import { flag, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

export const layoutSettings = {
  // Off, because Tesseract's own blocks are better on real scans once they are put in order.
  COLUMNS: flag(
    false,
    'finds columns, which are then read one by one; if off, the recogniser divides the page itself',
  ),
  ...limitSettings,
};

export type LayoutConfig = StageConfig<typeof layoutSettings>;

export function parseLayoutConfig(text: string): LayoutConfig {
  return parseStageConfig(text, layoutSettings);
}
