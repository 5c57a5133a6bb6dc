import type { House } from '../engine/house.ts';
import { transcriptionSection } from './settings/settings.ts';

/** Turns scans and PDFs into text, PAGE XML, ALTO, hOCR and searchable PDF. */
export const transcription = {
  ...transcriptionSection,
  title: 'Transcription',
  commands: {
    transcribe: {
      summary: 'Transcribe scans with one command: images in; text, PAGE XML, ALTO and PDF out',
      load: () => import('./commands/transcribe.ts'),
    },
    document: {
      summary: 'Submit scans to a running Pismak, follow their progress, get the results',
      load: () => import('./commands/document.ts'),
    },
    search: { summary: 'Search the text of transcribed pages', load: () => import('./commands/search.ts') },
    usage: {
      summary: 'Show and limit the pages users transcribe and the space they use',
      load: () => import('./commands/usage.ts'),
    },
    evaluate: {
      summary: 'Compare transcribed text with the correct text',
      load: () => import('./commands/evaluate.ts'),
    },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
