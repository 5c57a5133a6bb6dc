import type { ProcessorRegistration } from '../engine/processor/processor.ts';
import { parseCorrectConfig } from './correct/config.ts';
import { parseExportConfig } from './export/config.ts';
import { parseKeywordsConfig } from './keywords/config.ts';
import { parseLayoutConfig } from './layout/layout-config.ts';
import { parsePrepareConfig } from './prepare/prepare-config.ts';
import { checkRecogniseConfig } from './recognise/config.ts';
import { parseSplitConfig } from './split/split-config.ts';

/** The processors of this house's stages, in the order of the stages. */
export const transcriptionProcessors: ProcessorRegistration[] = [
  {
    name: 'split',
    summary: 'splits images, TIFF, PDF and ZIP files into pages (TEXT_LAYER, PDF_DPI, limits)',
    check: parseSplitConfig,
    module: new URL('./split/split.ts', import.meta.url),
  },
  {
    name: 'prepare',
    summary: 'straightens, cleans and scales a page for better recognition (DESKEW, CONTRAST, ...)',
    check: parsePrepareConfig,
    module: new URL('./prepare/prepare.ts', import.meta.url),
  },
  {
    name: 'layout',
    summary: 'finds columns, lines, pictures and their reading order',
    check: parseLayoutConfig,
    module: new URL('./layout/layout.ts', import.meta.url),
  },
  {
    name: 'recognise',
    summary: 'recognises the text of a page with Tesseract or another program (ENGINE, LANGUAGE)',
    check: checkRecogniseConfig,
    module: new URL('./recognise/recognise.ts', import.meta.url),
  },
  {
    name: 'correct',
    summary: 'replaces words by rules (`teh => the`) and a DICTIONARY',
    check: parseCorrectConfig,
    module: new URL('./correct/correct.ts', import.meta.url),
  },
  {
    name: 'index',
    summary: 'finds the keywords of a page (KEYWORDS)',
    check: parseKeywordsConfig,
    module: new URL('./keywords/keywords.ts', import.meta.url),
  },
  {
    name: 'export',
    summary: 'writes text, PAGE XML, ALTO, hOCR and searchable PDF (PDF_QUALITY, PDF_LOSSLESS)',
    check: parseExportConfig,
    module: new URL('./export/export.ts', import.meta.url),
  },
];
