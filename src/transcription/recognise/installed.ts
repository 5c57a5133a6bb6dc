import { messageOf } from '../../engine/ground/errors.ts';
import { parseRecogniseConfig } from './config.ts';
import { openNativeTesseract } from './native-tesseract.ts';
import { hasRuntime, packagedModel, runtimeVersion } from './pismak/model.ts';
import { pismakLanguages } from './pismak/pismak.ts';
import { packagedLanguages, tesseractJsVersion } from './tesseract-js.ts';

/** Asking Tesseract starts two processes, so cache the answer. */
const rememberedMs = 30_000;

/** Languages that a stage with this configuration can read on this machine; undefined if unknown. */
export const installedLanguages = remembering(languagesHere);

/** The recognisers that a stage with this configuration uses on this machine, with versions, models and languages. */
export const installedRecognisers = remembering(recognisersHere);

function remembering<T>(ask: (config: string, stageFiles: readonly string[]) => Promise<T>) {
  const remembered = new Map<string, { until: number; answer: Promise<T> }>();
  return (config: string, stageFiles: readonly string[], now: number): Promise<T> => {
    const key = JSON.stringify([config, stageFiles]);
    const known = remembered.get(key);
    if (known && known.until > now) return known.answer;
    const answer = ask(config, stageFiles);
    answer.catch(() => remembered.delete(key));
    if (remembered.size > 100) remembered.clear();
    remembered.set(key, { until: now + rememberedMs, answer });
    return answer;
  };
}

async function languagesHere(text: string, stageFiles: readonly string[]): Promise<string[] | undefined> {
  const config = parseRecogniseConfig(text);
  if (config.ENGINE === 'command') return undefined;
  if (config.ENGINE === 'pismak') return pismakLanguages;
  const added = languagesOf(stageFiles);
  const native =
    config.ENGINE === 'tesseract.js'
      ? undefined
      : await openNativeTesseract({ tessdata: config.TESSDATA || undefined });
  const own = native ? ((await native.languages()) ?? []) : packagedLanguages;
  await native?.close();
  const ours = config.ENGINE === 'auto' && hasRuntime() ? pismakLanguages : [];
  return [...new Set([...own, ...ours, ...added])].sort();
}

async function recognisersHere(text: string, stageFiles: readonly string[]): Promise<string[]> {
  const { ENGINE, MODEL, TESSDATA } = parseRecogniseConfig(text);
  if (ENGINE === 'command') return ['the COMMAND of the stage, with models that only it knows'];
  const added = languagesOf(stageFiles);
  const found: string[] = [];
  let isNative = false;
  if (ENGINE !== 'pismak' && ENGINE !== 'tesseract.js') {
    try {
      const native = await openNativeTesseract({ tessdata: TESSDATA || undefined });
      isNative = native !== undefined;
      if (native)
        found.push(
          withModels(`tesseract ${native.version}`, [...((await native.languages()) ?? []), ...added]),
        );
      else if (ENGINE === 'tesseract') found.push('tesseract is not installed');
    } catch (error) {
      found.push(`tesseract can't be used: ${messageOf(error)}`);
    }
  }
  if (ENGINE === 'pismak' || (ENGINE === 'auto' && hasRuntime())) {
    const model = MODEL === '' ? await packagedModel() : `${MODEL} of the stage`;
    const runtime = hasRuntime() ? runtimeVersion() : 'onnxruntime is not installed';
    found.push(`pismak (${runtime}): model ${model} for ${pismakLanguages.join(', ')}`);
  }
  if (ENGINE === 'tesseract.js' || (ENGINE === 'auto' && !isNative)) {
    const version = tesseractJsVersion();
    if (version) found.push(withModels(`tesseract.js ${version}`, [...packagedLanguages, ...added]));
    else if (ENGINE === 'tesseract.js') found.push('tesseract.js is not installed');
  }
  return found;
}

/** Tesseract has a model for each language. */
function withModels(recogniser: string, languages: readonly string[]): string {
  return `${recogniser}: models ${[...new Set(languages)].sort().join(', ') || 'none'}`;
}

/** Languages that files of the stage add. */
function languagesOf(stageFiles: readonly string[]): string[] {
  return stageFiles
    .filter((name) => name.endsWith('.traineddata'))
    .map((name) => name.slice(0, -'.traineddata'.length));
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
