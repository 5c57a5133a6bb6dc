import { flag, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

const settings = {
  COLUMNS: flag(true, 'finds columns; off: one region, which the recogniser divides as it thinks best'),
  ...limitSettings,
};

export type LayoutConfig = StageConfig<typeof settings>;

export function parseLayoutConfig(text: string): LayoutConfig {
  return parseStageConfig(text, settings);
}
