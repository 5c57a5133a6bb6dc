import { escapeXml } from '../../formats/markup/escape.ts';
import { align } from './align.ts';
import { errorRate, type Rate } from './compare.ts';
import type { Evaluation } from './evaluate.ts';
import { type Normalisation, type Symbols, toSymbols } from './symbols.ts';
import { readText } from './text-files.ts';

/** An HTML page with the differences of all pages, worst first. It is streamed, because there may be thousands of pages. */
export async function* differencesPage(
  evaluation: Evaluation,
  normalisation: Normalisation = {},
): AsyncGenerator<string> {
  yield `${head}<h1>Differences from the truth</h1>\n${summary(evaluation)}`;
  for (const page of evaluation.pages) {
    const truth = toSymbols(await readText(page.truthFile), normalisation);
    const found = toSymbols(await readText(page.foundFile), normalisation);
    const rates = `CER ${percent(page.characters)}, WER ${percent(page.words)}`;
    yield `<section><h2>${escapeXml(page.name)} <small>${rates}</small></h2>\n<p class="text" dir="auto">${marked(truth, found)}</p></section>\n`;
  }
  yield '</main></body></html>\n';
}

/** The truth, with each misreading next to the text it replaces. */
export function marked(truth: Symbols, found: Symbols): string {
  return align(truth.keys, found.keys)
    .map((stretch) => {
      const expected = visible(truth, stretch.truth, stretch.kind !== 'equal');
      const given = visible(found, stretch.found, true);
      if (stretch.kind === 'equal') return expected;
      return (expected && `<del>${expected}</del>`) + (given && `<ins>${given}</ins>`);
    })
    .join('');
}

/** Makes differences in white space visible. */
function visible({ shown, keys }: Symbols, [from, to]: readonly [number, number], marks: boolean): string {
  const parts = shown.slice(from, to).map((text, index) => {
    const space = /^\s/u.test(text || (keys[from + index] ?? ''));
    return space && marks ? (text.includes('\n') ? '⏎' : '␣') : text;
  });
  return escapeXml(parts.join('')).replaceAll('&#10;', '\n').replaceAll('&#9;', '\t');
}

/** A rate for people: `3.21 %`. */
export function percent(rate: Rate): string {
  return `${(errorRate(rate) * 100).toFixed(2)} %`;
}

function summary(evaluation: Evaluation): string {
  const { characters, words, missing, extra } = evaluation;
  const list = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `<p>${what}: ${names.map(escapeXml).join(', ')}</p>\n`;
  return (
    `<p>All together (${evaluation.pages.length}): CER ${percent(characters)} (${characters.errors} of ${characters.length} characters), ` +
    `WER ${percent(words)} (${words.errors} of ${words.length} words)</p>\n` +
    '<p><del>expected</del> <ins>read instead</ins></p>\n' +
    list('Not read at all', missing) +
    list('Without a truth', extra)
  );
}

const head = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Differences from the truth</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
small { font-weight: normal }
.text { white-space: pre-wrap; overflow-wrap: anywhere; font-family: Georgia, serif }
del { background: #d3302f33; text-decoration-color: #d3302f }
ins { background: #2e7d3240; text-decoration: underline #2e7d32 }
section { border-top: 1px solid #8888 }
</style></head><body><main>
`;
