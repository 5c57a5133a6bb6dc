/**
 * What programs may import as `pismak/transcription` (or `pismak-transcription`): the house, the model of a page, its
 * formats, and the comparison of texts. Everything else in this folder may change from version to version.
 */

export { type Comparison, compareTexts, errorRate, type Rate } from './evaluation/compare.ts';
export { differencesPage, percent } from './evaluation/differences-page.ts';
export { type EvaluatedPage, type Evaluation, evaluate } from './evaluation/evaluate.ts';
export type { Normalisation } from './evaluation/symbols.ts';
export type { About } from './formats/about.ts';
export { toAlto } from './formats/alto.ts';
export { toHocr } from './formats/hocr.ts';
export { type Format, formats, resultFiles } from './formats/output-formats.ts';
export { toPageXml } from './formats/page-xml.ts';
export { transcription } from './house.ts';
export { type Box, type Line, type Page, type Paragraph, page, type Region, type Word } from './page/page.ts';
export { toText } from './text/text.ts';
