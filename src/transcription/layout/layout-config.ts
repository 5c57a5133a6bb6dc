import { flag, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

const settings = {
  COLUMNS: flag(true, 'finds columns; if off, the recogniser divides the page itself'),
  ...limitSettings,
};

export type LayoutConfig = StageConfig<typeof settings>;

export function parseLayoutConfig(text: string): LayoutConfig {
  return parseStageConfig(text, settings);
}
