import { openNativeTesseract } from './native-tesseract.ts';

/** Whether the system has a Tesseract, which reads faster than the one that comes along. */
export async function hasNativeTesseract(): Promise<boolean> {
  const recogniser = await openNativeTesseract();
  await recogniser?.close();
  return recogniser !== undefined;
}
