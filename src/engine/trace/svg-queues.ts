import type { StageSign } from './stage-signs.ts';
import { solidFill } from './svg-fills.ts';
import { fitText, short, svgText } from './svg-text.ts';
import { textAt } from './svg-workers.ts';
import { greatestLength, type QueueTrace } from './trace.ts';

/** The position of the queues in the picture. */
export interface QueuesPlace {
  top: number;
  left: number;
  right: number;
  panelHeight: number;
  x(at: number): number;
  signs: ReadonlyMap<string, StageSign>;
}

const gap = 8;

/** One panel per queue, each with its own scale, and the maximum length at the right. */
export function drawQueues(queues: readonly QueueTrace[], place: QueuesPlace): string {
  return queues
    .map((queue, index) => drawQueue(queue, place.top + index * place.panelHeight, place))
    .join('');
}

function drawQueue({ stage, points }: QueueTrace, top: number, place: QueuesPlace): string {
  const { left, right, panelHeight, signs } = place;
  const sign = signs.get(stage);
  const height = panelHeight - gap;
  const bottom = top + panelHeight;
  const most = Math.max(1, greatestLength(points));
  const name = svgText(fitText(sign ? `${sign.number}  ${stage}` : stage, 11, left - 14));
  const { line, area } = stepsOf(points, { ...place, bottom, perLength: height / most });
  return [
    `<path d="M${left} ${short(bottom)}H${right}" stroke="#9a9a9a"/>`,
    `<path d="M${left} ${short(bottom - height)}H${right}" stroke="#e6e6e6"/>`,
    `<path d="${area}" fill="${solidFill(sign)}" fill-opacity=".4"/>`,
    `<path d="${line}" fill="none" stroke="${sign?.line ?? '#666'}" stroke-width="1.3" stroke-linejoin="round"/>`,
    textAt(left - 6, bottom - height / 2, 11, 'text-anchor="end"', name),
    textAt(right + 5, bottom - height + 2, 10, 'fill="#555"', String(most)),
  ].join('');
}

/** A line for each stretch without a gap, and the area below it. */
function stepsOf(
  points: QueueTrace['points'],
  { x, right, bottom, perLength }: Pick<QueuesPlace, 'x' | 'right'> & { bottom: number; perLength: number },
): { line: string; area: string } {
  let line = '';
  let area = '';
  let drawing = false;
  const end = (at: string) => {
    if (drawing) area += `H${at}V${short(bottom)}z`;
    if (drawing) line += `H${at}`;
    drawing = false;
  };
  for (const point of points) {
    const at = short(x(point.at));
    if (point.length === null) {
      end(at);
      continue;
    }
    const y = short(bottom - point.length * perLength);
    line += drawing ? `H${at}V${y}` : `M${at} ${y}`;
    area += drawing ? `H${at}V${y}` : `M${at} ${short(bottom)}V${y}`;
    drawing = true;
  }
  end(short(right));
  return { line, area };
}
