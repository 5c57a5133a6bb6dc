import type { ProcessorRegistration } from '../engine/processor/processor.ts';
import { systemClock } from '../engine/time/clock.ts';
import { parseCorrectConfig } from './correct/config.ts';
import { parseExportConfig } from './export/config.ts';
import { parseKeywordsConfig } from './keywords/config.ts';
import { parseLayoutConfig } from './layout/layout-config.ts';
import { parsePrepareConfig } from './prepare/prepare-config.ts';
import { checkRecogniseConfig, parseRecogniseConfig } from './recognise/config.ts';
import { parseSingleConfig } from './single/single-config.ts';
import { parseSplitConfig } from './split/split-config.ts';

const always = () => true;

/** The processors of this house's stages, in the order of the stages. */
export const transcriptionProcessors: ProcessorRegistration[] = [
  {
    name: 'split',
    isDeterministic: always,
    summary: 'splits images, TIFF, PDF and ZIP files into pages (TEXT_LAYER, PDF_DPI, limits)',
    check: parseSplitConfig,
    module: new URL('./split/split.ts', import.meta.url),
  },
  {
    name: 'page',
    isDeterministic: always,
    summary:
      'makes a page of an image that came without an order, as other programs send it (LANGUAGE, FORMATS)',
    check: parseSingleConfig,
    module: new URL('./single/single.ts', import.meta.url),
  },
  {
    name: 'prepare',
    isDeterministic: always,
    summary: 'straightens, cleans and scales a page for better recognition (DESKEW, CONTRAST, ...)',
    check: parsePrepareConfig,
    module: new URL('./prepare/prepare.ts', import.meta.url),
  },
  {
    name: 'layout',
    isDeterministic: always,
    summary: 'finds columns, lines, pictures and their reading order',
    check: parseLayoutConfig,
    module: new URL('./layout/layout.ts', import.meta.url),
  },
  {
    name: 'recognise',
    // A program of the owner's may ask a service.
    isDeterministic: (config) => parseRecogniseConfig(config).ENGINE !== 'command',
    summary: 'recognises the text of a page with Tesseract or another program (ENGINE, LANGUAGE)',
    check: checkRecogniseConfig,
    offers: async (config, files) =>
      (await import('./recognise/installed-languages.ts')).installedLanguages(
        config,
        files,
        systemClock.now(),
      ),
    module: new URL('./recognise/recognise.ts', import.meta.url),
  },
  {
    name: 'correct',
    isDeterministic: always,
    summary: 'replaces words by rules (`teh => the`) and a DICTIONARY',
    check: parseCorrectConfig,
    module: new URL('./correct/correct.ts', import.meta.url),
  },
  {
    name: 'index',
    isDeterministic: always,
    summary: 'finds the keywords of a page (KEYWORDS)',
    check: parseKeywordsConfig,
    module: new URL('./keywords/keywords.ts', import.meta.url),
  },
  {
    name: 'export',
    isDeterministic: always,
    summary: 'writes text, PAGE XML, ALTO, hOCR and searchable PDF (PDF_QUALITY, PDF_LOSSLESS, PREPARED)',
    check: parseExportConfig,
    module: new URL('./export/export.ts', import.meta.url),
  },
];
