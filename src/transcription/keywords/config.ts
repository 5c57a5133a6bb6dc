import { number, parseStageConfig } from '../../engine/stage/stage-config.ts';

const settings = { KEYWORDS: number(30, 'keywords that a page gets at most', { min: 0, max: 1000 }) };

/** Configuration of the stage `index`. Throws what the administrator should read. */
export function parseKeywordsConfig(text: string): { limit: number } {
  return { limit: Math.round(parseStageConfig(text, settings).KEYWORDS) };
}
