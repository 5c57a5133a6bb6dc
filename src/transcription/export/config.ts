import { flag, number, parseStageConfig } from '../../engine/stage/stage-config.ts';

export const exportSettings = {
  PDF_QUALITY: number(75, 'JPEG quality of images in searchable PDFs', { min: 1, max: 100 }),
  PDF_LOSSLESS: flag(false, 'keeps PNG images unchanged, about ten times larger'),
  PREPARED: flag(false, 'keeps the prepared image, as the result prepared.png'),
};

/** Configuration of the stage `export`. Throws errors meant for the administrator. */
export function parseExportConfig(text: string): { quality: number; lossless: boolean; prepared: boolean } {
  const config = parseStageConfig(text, exportSettings);
  return {
    quality: Math.round(config.PDF_QUALITY),
    lossless: config.PDF_LOSSLESS,
    prepared: config.PREPARED,
  };
}
