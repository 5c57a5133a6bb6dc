import { openNativeTesseract } from './native-tesseract.ts';

/** Whether the system has native Tesseract, which is faster than the bundled tesseract.js. */
export async function hasNativeTesseract(): Promise<boolean> {
  const recogniser = await openNativeTesseract();
  await recogniser?.close();
  return recogniser !== undefined;
}
