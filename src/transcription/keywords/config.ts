import { number, parseStageConfig } from '../../engine/stage/stage-config.ts';

const settings = { KEYWORDS: number(30, { min: 0, max: 1000 }) };

/** Configuration of the stage `index`: how many keywords a page gets. Throws what the administrator should read. */
export function parseKeywordsConfig(text: string): { limit: number } {
  return { limit: Math.round(parseStageConfig(text, settings).KEYWORDS) };
}
