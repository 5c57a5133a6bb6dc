import type { StageSign } from './stage-signs.ts';
import { fitText, short, svgText, textWidth } from './svg-text.ts';
import { fillOf, textAt } from './svg-workers.ts';
import type { SpanKind } from './trace.ts';

const size = 11;
const lineHeight = 18;
const swatch = 22;

/** The meaning of colours and fills, on as many lines as needed. */
export function drawLegend(
  signs: readonly StageSign[],
  place: { left: number; right: number; top: number },
): { svg: string; height: number } {
  const byStage = new Map(signs.map((sign) => [sign.stage, sign]));
  const example = signs[0]?.stage ?? '';
  const kinds: [SpanKind, string][] = [
    ['switching', 'switching to it'],
    ['idle', 'idle'],
    ['failed', 'failed or dead'],
  ];
  const entries = [
    ...signs.map(({ stage, number }) => ({
      box: swatchOf('serving', fillOf({ kind: 'serving', stage }, byStage)),
      text: `${number}  ${fitText(stage, size, 220)}`,
    })),
    ...kinds.map(([kind, text]) => ({
      box: swatchOf(kind, fillOf({ kind, stage: example }, byStage)),
      text,
    })),
    { box: `<path d="M0 0H${swatch}" stroke="#aaa" stroke-dasharray="1 3"/>`, text: 'not known' },
  ];

  let x = place.left;
  let y = place.top;
  const out: string[] = [];
  for (const { box, text } of entries) {
    const width = swatch + 6 + textWidth(text, size) + 18;
    if (x + width > place.right && x > place.left) {
      x = place.left;
      y += lineHeight;
    }
    out.push(
      `<g transform="translate(${short(x)} ${y})">${box}${textAt(swatch + 6, 0, size, '', svgText(text))}</g>`,
    );
    x += width;
  }
  return { svg: out.join(''), height: y - place.top + lineHeight / 2 };
}

function swatchOf(kind: SpanKind, fill: string): string {
  const height = kind === 'idle' ? 4 : 12;
  return `<rect y="${-height / 2}" width="${swatch}" height="${height}" ${fill}/>`;
}
