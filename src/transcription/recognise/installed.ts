import { openNativeTesseract } from './native-tesseract.ts';
import { hasRuntime } from './pismak/model.ts';

/** Whether the system has native Tesseract, which is faster than the bundled tesseract.js. */
export async function hasNativeTesseract(): Promise<boolean> {
  const recogniser = await openNativeTesseract();
  await recogniser?.close();
  return recogniser !== undefined;
}

/** What to tell a user who has no native Tesseract. */
export function withoutTesseract(): string {
  return hasRuntime()
    ? 'Tesseract is not installed: Pismak reads by itself, in Czech, Slovak, German, French, English and Latin; for other languages:\n' +
        'apt install tesseract-ocr tesseract-ocr-pol (or another language)\n'
    : 'Tesseract is not installed, so the slower tesseract.js is used; for two to three times the speed:\n' +
        'apt install tesseract-ocr tesseract-ocr-ces\n';
}
