import { escapeXml } from '../../src/formats/markup/escape.ts';
import { errorRate } from '../../src/transcription/evaluation/compare.ts';
import { marked } from '../../src/transcription/evaluation/differences-page.ts';
import { toSymbols } from '../../src/transcription/evaluation/symbols.ts';
import { loadSharp } from '../../src/transcription/image/load-sharp.ts';
import type { Measured } from './measure-real.ts';
import { percent } from './report.ts';

/** The ten pages that are read worst, each with its picture beside its differences from the truth. */
export async function worstPage(all: readonly Measured[]): Promise<string> {
  const worst = all
    .toSorted((one, other) => errorRate(other.ours.characters) - errorRate(one.ours.characters))
    .slice(0, 10);
  const sections = await Promise.all(worst.map(section));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The worst ten pages</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem }
section { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; border-top: 1px solid #888 }
h2 { grid-column: 1 / -1 }
img { width: 100% }
p { white-space: pre-wrap; overflow-wrap: anywhere; font-family: Georgia, serif }
del { background: #d3302f33 } ins { background: #2e7d3240 }
</style></head><body>
<h1>The worst ten pages</h1><p><del>expected</del> <ins>read instead</ins></p>
${sections.join('\n')}
</body></html>
`;
}

async function section({ page, hand, ours, text }: Measured): Promise<string> {
  const sharp = await loadSharp();
  const picture = await sharp(page.path)
    .resize({ width: 900, withoutEnlargement: true })
    .jpeg({ quality: 70 })
    .toBuffer();
  const alike = { sameMarks: true, modernLetters: true };
  const rates = [hand, ours].map(({ characters }) => percent(errorRate(characters)));
  const words = percent(errorRate(ours.bag));
  return `<section><h2>${escapeXml(page.name)} (${escapeXml(page.kind)}): CER ${rates[1]}, by hand ${rates[0]}, words in any order ${words}</h2>
<img alt="" src="data:image/jpeg;base64,${picture.toString('base64')}">
<p>${marked(toSymbols(page.truth, alike), toSymbols(text, alike))}</p></section>`;
}
