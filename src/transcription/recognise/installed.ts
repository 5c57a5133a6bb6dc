import { parseRecogniseConfig } from './config.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import { hasRuntime } from './pismak/model.ts';
import { pismakLanguages } from './pismak/pismak.ts';
import { packagedLanguages } from './tesseract-js.ts';

/** Asking Tesseract starts two processes, so cache the answer. */
const rememberedMs = 30_000;
const remembered = new Map<string, { until: number; languages: Promise<string[] | undefined> }>();

/** Languages that a stage with this configuration can read on this machine; undefined if unknown. */
export function installedLanguages(
  config: string,
  stageFiles: readonly string[],
  now: number,
): Promise<string[] | undefined> {
  const key = JSON.stringify([config, stageFiles]);
  const known = remembered.get(key);
  if (known && known.until > now) return known.languages;
  const languages = ask(config, stageFiles);
  languages.catch(() => remembered.delete(key));
  if (remembered.size > 100) remembered.clear();
  remembered.set(key, { until: now + rememberedMs, languages });
  return languages;
}

async function ask(text: string, stageFiles: readonly string[]): Promise<string[] | undefined> {
  const config = parseRecogniseConfig(text);
  if (config.ENGINE === 'command') return undefined;
  if (config.ENGINE === 'pismak') return pismakLanguages;
  const added = stageFiles
    .filter((name) => name.endsWith('.traineddata'))
    .map((name) => name.slice(0, -'.traineddata'.length));
  const native =
    config.ENGINE === 'tesseract.js'
      ? undefined
      : await openNativeTesseract({ tessdata: config.TESSDATA || undefined });
  const own = native ? ((await native.languages()) ?? []) : packagedLanguages;
  await native?.close();
  const ours = config.ENGINE === 'auto' && hasRuntime() ? pismakLanguages : [];
  return [...new Set([...own, ...ours, ...added])].sort();
}

/** Whether the system has native Tesseract, which is faster than the bundled tesseract.js. */
export async function hasNativeTesseract(): Promise<boolean> {
  const recogniser = await openNativeTesseract();
  await recogniser?.close();
  return recogniser !== undefined;
}

/** Advice for users without native Tesseract. */
export function withoutTesseract(): string {
  return hasRuntime()
    ? 'Tesseract is not installed: Pismak reads by itself, in Czech, Slovak, German, French, English and Latin; for other languages:\n' +
        'apt install tesseract-ocr tesseract-ocr-pol (or another language)\n'
    : 'Tesseract is not installed, so the slower tesseract.js is used; for two to three times the speed:\n' +
        'apt install tesseract-ocr tesseract-ocr-ces\n';
}
