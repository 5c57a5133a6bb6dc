/** The parts of this house that other code may import. */

export { errorRate, type Rate } from './evaluation/compare.ts';
export { differencesPage, percent } from './evaluation/differences-page.ts';
export { type Evaluation, evaluate } from './evaluation/evaluate.ts';
export type { Normalisation } from './evaluation/symbols.ts';
export { resultFiles } from './files.ts';
export { transcriptionOperations } from './operations/index.ts';
export { type Format, formats } from './order.ts';
export { transcriptionProcessors } from './processors.ts';
export { hasNativeTesseract } from './recognise/installed.ts';
export { runTranscription } from './run-transcription.ts';
export { createTextIndex } from './search/text-index.ts';
