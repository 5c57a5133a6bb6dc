import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readGrey } from '../../src/transcription/image/open-image.ts';
import { type FoundLine, findLines } from '../../src/transcription/lines/find-lines.ts';
import { heightAt } from '../../src/transcription/recognise/pismak/cut-line.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { percent, printMarkdown } from './report.ts';

const points = z.array(z.tuple([z.number(), z.number()]));
const truth = z.object({
  image: z.string(),
  lines: z.array(z.object({ polygon: points, baseline: points, text: z.string() })),
});

interface Count {
  wanted: number;
  found: number;
  matched: number;
}

const limits = { pixels: 150e6, bytes: 1e9 };

/**
 * Pages with the baselines of their lines (NAME.json and an image). A line is found if one of ours runs along it: at most a third of its
 * height away, and as long but for a tenth on each side.
 */
export async function measureLineFinder(directory: string, which: (index: number) => boolean) {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const kinds = new Map<string, Count & { pages: number; cpu: number }>();
  for (const [index, file] of files.entries()) {
    if (!which(index)) continue;
    const page = truth.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));
    const image = await readGrey(readFileSync(join(directory, page.image)), limits);
    const begun = cpuSeconds();
    const { lines } = findLines(image);
    const cpu = cpuSeconds() - begun;
    const wanted = page.lines.filter(({ baseline }) => baseline.length >= 2).map(asFound);
    const matched = countMatches(wanted, lines);
    const kind = file.split('-')[0] ?? '';
    const sum = kinds.get(kind) ?? { wanted: 0, found: 0, matched: 0, pages: 0, cpu: 0 };
    kinds.set(kind, {
      wanted: sum.wanted + wanted.length,
      found: sum.found + lines.length,
      matched: sum.matched + matched,
      pages: sum.pages + 1,
      cpu: sum.cpu + cpu,
    });
    console.error(`${file}: ${matched} of ${wanted.length}, ${lines.length} found, ${cpu.toFixed(2)} s`);
  }
  printMarkdown([
    ['pages', 'n', 'lines', 'recall', 'precision', 'CPU a page'],
    ...[...kinds].map(([kind, one]) => [
      kind,
      String(one.pages),
      String(one.wanted),
      percent(one.matched / one.wanted),
      percent(one.matched / one.found),
      `${(one.cpu / one.pages).toFixed(2)} s`,
    ]),
  ]);
  return Object.fromEntries(kinds);
}

function asFound({ polygon, baseline }: z.infer<typeof truth>['lines'][number]): FoundLine {
  const line = baseline.map(([x, y]) => ({ x, y })).sort((one, other) => one.x - other.x);
  const heights = polygon.map(([x, y]) => heightAt(line, x) - y).sort((one, other) => one - other);
  const ascent = Math.max(4, heights[Math.floor(heights.length * 0.75)] ?? 0);
  return { baseline: line, ascent, descent: ascent / 3, body: ascent / 1.7 };
}

export function countMatches(wanted: readonly FoundLine[], found: readonly FoundLine[]): number {
  const free = new Set(found);
  let matched = 0;
  for (const one of wanted) {
    for (const other of free) {
      if (!isSame(one, other)) continue;
      free.delete(other);
      matched++;
      break;
    }
  }
  return matched;
}

export function isSame(one: FoundLine, other: FoundLine): boolean {
  const [left, right] = [one.baseline[0]?.x ?? 0, one.baseline.at(-1)?.x ?? 0];
  const [start, end] = [other.baseline[0]?.x ?? 0, other.baseline.at(-1)?.x ?? 0];
  const tall = one.ascent + one.descent;
  const spare = Math.max(tall, 0.1 * (right - left));
  if (Math.abs(left - start) > spare || Math.abs(right - end) > spare) return false;
  const places = [0.1, 0.5, 0.9].map((share) => left + share * (right - left));
  const away = places.map((x) => Math.abs(heightAt(one.baseline, x) - heightAt(other.baseline, x)));
  return away.reduce((sum, each) => sum + each, 0) / away.length <= tall / 3;
}
