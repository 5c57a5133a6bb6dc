import { parseStageConfig, words } from '../../engine/stage/stage-config.ts';
import { type Format, formats, isFormat } from '../formats/output-formats.ts';
import { type SplitConfig, splitSettings } from '../split/split-config.ts';

export const singleSettings = {
  LANGUAGE: words('auto', 'Tesseract language names of the pages, joined with +; auto: guess'),
  FORMATS: words('txt page', `results to write: ${formats.join(', ')}`),
  ...splitSettings,
};

export type SingleConfig = SplitConfig & { language: string; formats: Format[] };

/** Configuration of the stage `page`. Throws errors meant for the administrator. */
export function parseSingleConfig(text: string): SingleConfig {
  const { LANGUAGE, FORMATS, ...config } = parseStageConfig(text, singleSettings);
  const named = FORMATS.split(/[\s,]+/).filter((word) => word !== '');
  const unknown = named.find((word) => !isFormat(word));
  if (unknown !== undefined || named.length === 0)
    throw new Error(`FORMATS has ${unknown ?? 'nothing'}; choose from ${formats.join(', ')}`);
  return { ...config, language: LANGUAGE, formats: named.filter(isFormat) };
}
