import { flag, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

const settings = {
  /** Off: one region, and the recogniser divides the page as it thinks best. */
  COLUMNS: flag(true),
  ...limitSettings,
};

export type LayoutConfig = StageConfig<typeof settings>;

export function parseLayoutConfig(text: string): LayoutConfig {
  return parseStageConfig(text, settings);
}
