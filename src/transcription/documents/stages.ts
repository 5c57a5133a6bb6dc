import { ofProgram } from '../../engine/processor/command/command-config.ts';
import type { ProcessorRegistration } from '../../engine/processor/processor.ts';
import type { FirstStart } from '../../engine/stage/first-start.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { correctSettings, parseCorrectConfig } from '../correct/config.ts';
import { exportSettings, parseExportConfig } from '../export/config.ts';
import { keywordsSettings, parseKeywordsConfig } from '../keywords/config.ts';
import { layoutSettings, parseLayoutConfig } from '../layout/layout-config.ts';
import { parsePrepareConfig, prepareSettings } from '../prepare/prepare-config.ts';
import { checkRecogniseConfig, parseRecogniseConfig, recogniseSettings } from '../recognise/config.ts';
import { parseSingleConfig, singleSettings } from '../single/single-config.ts';
import { parseSplitConfig, splitSettings } from '../split/split-config.ts';

const always = () => true;

/** A stage of this house. It has the name of its processor. */
interface TranscriptionStage {
  processor: ProcessorRegistration;
  definition: Omit<FirstStart['stages'][number], 'name' | 'processor'>;
  /** Pages of documents go through it. They bring an order, so they need neither `split` nor `page`. */
  isForPages?: true;
}

/**
 * The stages of this house, in order. Only recognition takes long enough for the watchdog to plan it. Every worker serves the
 * other, short stages all the time, so a page never waits for a worker to be moved.
 */
export const transcriptionStages: readonly TranscriptionStage[] = [
  {
    processor: {
      name: 'split',
      isDeterministic: always,
      summary: 'splits images, TIFF, PDF and ZIP files into pages (TEXT_LAYER, PDF_DPI, limits)',
      check: parseSplitConfig,
      settings: splitSettings,
      module: new URL('../split/split.ts', import.meta.url),
    },
    definition: { mode: 'shared', memoryMb: 2048 },
  },
  {
    processor: {
      name: 'page',
      isDeterministic: always,
      summary: 'turns an image without an order, as other programs send it, into a page (LANGUAGE, FORMATS)',
      check: parseSingleConfig,
      settings: singleSettings,
      module: new URL('../single/single.ts', import.meta.url),
    },
    definition: { mode: 'shared', memoryMb: 2048 },
  },
  {
    processor: {
      name: 'prepare',
      isDeterministic: always,
      summary: 'straightens, cleans and scales a page for better recognition (DESKEW, CONTRAST, ...)',
      check: parsePrepareConfig,
      settings: prepareSettings,
      module: new URL('../prepare/prepare.ts', import.meta.url),
    },
    definition: { mode: 'shared', memoryMb: 2048 },
    isForPages: true,
  },
  {
    processor: {
      name: 'layout',
      isDeterministic: always,
      summary: 'finds columns, lines, pictures and their reading order',
      check: parseLayoutConfig,
      settings: layoutSettings,
      module: new URL('../layout/layout.ts', import.meta.url),
    },
    definition: { mode: 'shared' },
    isForPages: true,
  },
  {
    processor: {
      name: 'recognise',
      // A custom program may call a service.
      isDeterministic: (config) => parseRecogniseConfig(config).ENGINE !== 'command',
      summary: 'recognises the text of a page with Tesseract or another program (ENGINE, LANGUAGE)',
      check: checkRecogniseConfig,
      settings: recogniseSettings,
      besides: ofProgram,
      offers: async (config, files) =>
        (await import('../recognise/installed.ts')).installedLanguages(config, files, systemClock.now()),
      tools: async (config, files) =>
        (await import('../recognise/installed.ts')).installedRecognisers(config, files, systemClock.now()),
      module: new URL('../recognise/recognise.ts', import.meta.url),
    },
    definition: { memoryMb: 2048 },
    isForPages: true,
  },
  {
    processor: {
      name: 'correct',
      isDeterministic: always,
      summary: 'replaces words by rules (`teh => the`) and a DICTIONARY',
      check: parseCorrectConfig,
      settings: correctSettings,
      besides: 'rules, one in a line: `teh => the`, `/rn\\b/ => m`',
      module: new URL('../correct/correct.ts', import.meta.url),
    },
    definition: { mode: 'shared' },
    isForPages: true,
  },
  {
    processor: {
      name: 'index',
      isDeterministic: always,
      summary: 'finds the keywords of a page (KEYWORDS)',
      check: parseKeywordsConfig,
      settings: keywordsSettings,
      module: new URL('../keywords/keywords.ts', import.meta.url),
    },
    definition: { mode: 'shared' },
    isForPages: true,
  },
  {
    processor: {
      name: 'export',
      isDeterministic: always,
      summary: 'writes text, PAGE XML, ALTO, hOCR and searchable PDF (PDF_QUALITY, PDF_LOSSLESS, PREPARED)',
      check: parseExportConfig,
      settings: exportSettings,
      module: new URL('../export/export.ts', import.meta.url),
    },
    definition: { mode: 'shared' },
    isForPages: true,
  },
];

export const transcriptionProcessors: ProcessorRegistration[] = transcriptionStages.map(
  ({ processor }) => processor,
);
