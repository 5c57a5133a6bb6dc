import { number, parseStageConfig } from '../../engine/stage/stage-config.ts';

export const keywordsSettings = { KEYWORDS: number(30, 'limit on keywords per page', { min: 0, max: 1000 }) };

/** Configuration of the stage `index`. Throws errors meant for the administrator. */
export function parseKeywordsConfig(text: string): { limit: number } {
  return { limit: Math.round(parseStageConfig(text, keywordsSettings).KEYWORDS) };
}
