import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTexts, errorRate, type Rate, total } from '../../src/transcription/evaluation/compare.ts';
import { loadSharp } from '../../src/transcription/image/load-sharp.ts';
import { openModel } from '../../src/transcription/recognise/pismak/model.ts';
import { readLines } from '../../src/transcription/recognise/pismak/read-lines.ts';
import { splitWords } from '../../src/transcription/recognise/pismak/words.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { packedLines, type TrueLine } from './packed-lines.ts';
import { compare, percent, printMarkdown, type Target } from './report.ts';

/** Tesseract's language for each file of lines, and how many of its errors are allowed. */
const kinds: Record<string, { language: string; most: number }> = {
  newspapers: { language: 'Fraktur', most: 0.25 },
  typescripts: { language: 'fra', most: 0.4 },
  books: { language: 'Fraktur', most: 0.35 },
  'judged-czech': { language: 'ces', most: 1 },
  'judged-english': { language: 'eng', most: 1 },
  'judged-fraktur-book': { language: 'Fraktur', most: 0.35 },
  'judged-small-english': { language: 'eng', most: 0.7 },
  'judged-small-czech': { language: 'ces', most: 0.7 },
  'judged-small-german': { language: 'deu', most: 0.7 },
};
const sources = new URL('../../training/sources.json', import.meta.url);
const alike = { sameMarks: true, modernLetters: true };

/** Lines of documents and fonts that the network never learned from, read by it and with `tesseract --psm 7`. */
export async function measureLines(directory: string, most: number, targets: Target[]) {
  const model = await openModel();
  const heldOut = (JSON.parse(readFileSync(sources, 'utf8')) as { held_out_lines: Record<string, string[]> })
    .held_out_lines;
  const files = readdirSync(directory).filter((name) => name.endsWith('.tsv'));
  const measured = [];
  for (const name of files.map((file) => file.slice(0, -'.tsv'.length))) {
    const kind = kinds[name];
    if (!kind) continue;
    const documents = heldOut[name];
    const lines = spread(
      packedLines(directory, name).filter(
        ({ page }) => !documents || documents.some((part) => page.includes(part)),
      ),
      most,
    );
    const begun = cpuSeconds();
    const letters = await readLines(
      model,
      lines.map(({ image }) => image),
      new AbortController().signal,
    );
    const between = cpuSeconds();
    const tesseract = await readWithTesseract(lines, kind.language);
    const after = cpuSeconds();
    const ours = letters.map((line) => line.map(({ text }) => text).join(''));
    const rate = (read: readonly string[]) =>
      total(lines.map(({ text }, index) => compareTexts(text, read[index] ?? '', alike).characters));
    measured.push({
      name,
      lines: lines.length,
      ours: rate(ours),
      tesseract: rate(tesseract),
      ourMs: ((between - begun) * 1000) / lines.length,
      tesseractMs: ((after - between) * 1000) / lines.length,
      letters: calibration(lines, letters),
    });
    const ratio = errorRate(rate(ours)) / errorRate(rate(tesseract));
    targets.push(compare(`CER of ${name}`, `${kind.most}x or less`, ratio, ratio <= kind.most));
  }
  await model.close();
  printMarkdown([
    ['held-out lines', 'n', 'Tesseract', 'Pismak', 'Tesseract, ms a line', 'Pismak, ms a line'],
    ...measured.map((one) => [
      one.name,
      String(one.lines),
      share(one.tesseract),
      share(one.ours),
      one.tesseractMs.toFixed(1),
      one.ourMs.toFixed(1),
    ]),
  ]);
  console.log('\nwords by their confidence, and how many of them are right\n');
  printMarkdown([
    ['confidence', 'words', 'mean', 'right'],
    ...summed(measured.flatMap(({ letters }) => letters)).map((bin) => [
      `${(bin.from * 100).toFixed(0)} % and more`,
      String(bin.words),
      percent(bin.sure / bin.words),
      percent(bin.right / bin.words),
    ]),
  ]);
  return measured;
}

/** Of all documents alike: every n-th line. */
function spread(lines: readonly TrueLine[], most: number): TrueLine[] {
  const step = Math.max(1, lines.length / most);
  return lines.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

async function readWithTesseract(lines: readonly TrueLine[], language: string): Promise<string[]> {
  const sharp = await loadSharp();
  const work = scratchDirectory();
  const paths = await Promise.all(
    lines.map(async ({ image: { data, width, height } }, index) => {
      const path = join(work, `${index}.png`);
      // It expects some paper around a line.
      const air = { top: 8, bottom: 8, left: 8, right: 8, background: '#fff' };
      await sharp(data, { raw: { width, height, channels: 1 } })
        .extend(air)
        .png()
        .toFile(path);
      return path;
    }),
  );
  writeFileSync(join(work, 'list'), `${paths.join('\n')}\n`);
  const parameters = [join(work, 'list'), join(work, 'out'), '-l', language, '--psm', '7', '--dpi', '200'];
  const { status, stderr } = spawnSync('tesseract', parameters, {
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`tesseract: ${stderr}`);
  return readFileSync(join(work, 'out.txt'), 'utf8').split('\f').slice(0, lines.length);
}

interface Bin {
  from: number;
  words: number;
  sure: number;
  right: number;
}

const bounds = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99];

/** Words that are in the truth of their line count as right. */
function calibration(
  lines: readonly TrueLine[],
  read: readonly { text: string; confidence: number; start: number; end: number }[][],
): Bin[] {
  const bins = bounds.map((from) => ({ from, words: 0, sure: 0, right: 0 }));
  for (const [index, letters] of read.entries()) {
    const truth = new Set(fold(lines[index]?.text ?? '').split(' '));
    for (const { text, confidence } of splitWords(letters)) {
      const bin = bins.findLast(({ from }) => confidence >= from);
      if (!bin) continue;
      bin.words++;
      bin.sure += confidence;
      if (truth.has(fold(text))) bin.right++;
    }
  }
  return bins;
}

function summed(bins: readonly Bin[]): Bin[] {
  return bounds
    .map((from) =>
      bins
        .filter((bin) => bin.from === from)
        .reduce((sum, one) => ({
          from,
          words: sum.words + one.words,
          sure: sum.sure + one.sure,
          right: sum.right + one.right,
        })),
    )
    .filter(({ words }) => words > 0);
}

function fold(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll('ſ', 's')
    .replaceAll(/[–—‐]/g, '-')
    .replaceAll(/[„“”«»‟"]/g, '"')
    .replaceAll(/[’‘]/g, "'");
}

function share(rate: Rate): string {
  return percent(errorRate(rate));
}
