import { type Box, isDoubtful, type Reading } from './reading.ts';
import type { Placement } from './surface.ts';

export interface Colours {
  accent: string;
  doubt: string;
  line: string;
}

export interface Drawing {
  reading: Reading;
  placement: Placement;
  /** Of the canvas, in pixels of the page. */
  width: number;
  height: number;
  colours: Colours;
  doubtBelow: number;
  lines: boolean;
  selected: number | undefined;
  hits: ReadonlySet<number>;
}

/** Lines and words over the image. Doubt is a dashed frame, a hit a thick line below, the chosen word a solid frame: colour is not needed. */
export function drawWords(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { reading, placement, width, height, colours, doubtBelow, lines, selected, hits } = drawing;
  const { scale, x, y } = placement;
  context.clearRect(0, 0, width, height);
  const place = (box: Box, air: number): [number, number, number, number] => [
    box.left * scale + x - air,
    box.top * scale + y - air,
    box.width * scale + 2 * air,
    box.height * scale + 2 * air,
  ];
  const chosen = selected === undefined ? undefined : reading.words[selected];
  // Frames closer than this would be a grey mass.
  const legible = scale * (reading.lines[0]?.box.height ?? 0) > 7;
  for (const line of reading.lines) {
    const frame = place(line.box, 2);
    const [left, top, wide, high] = frame;
    if (left > width || top > height || left + wide < 0 || top + high < 0) continue;
    const isChosen = chosen?.line === line.number;
    if (isChosen || (lines && legible)) {
      context.beginPath();
      context.roundRect(...frame, 3);
      if (isChosen) fill(context, colours.accent, 0.07);
      stroke(context, isChosen ? colours.accent : colours.line, isChosen ? 1.5 : 1, isChosen ? 1 : 0.7);
    }
    for (const word of line.words) {
      const isHit = hits.has(word.number);
      const isDoubt = isDoubtful(word, doubtBelow);
      if (!isHit && !isDoubt && word !== chosen) continue;
      const box = place(word.box, 1);
      context.beginPath();
      context.roundRect(...box, 2);
      if (isHit) {
        fill(context, colours.accent, 0.2);
        context.fillStyle = colours.accent;
        context.fillRect(box[0], box[1] + box[3] - 1, box[2], 2.5);
      }
      if (isDoubt) {
        fill(context, colours.doubt, 0.13);
        context.setLineDash([4, 3]);
        stroke(context, colours.doubt, 1.25, 1);
        context.setLineDash([]);
      }
      if (word === chosen) {
        fill(context, colours.accent, 0.14);
        stroke(context, colours.accent, 2, 1);
      }
    }
  }
}

function fill(context: CanvasRenderingContext2D, colour: string, alpha: number): void {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
}

function stroke(context: CanvasRenderingContext2D, colour: string, width: number, alpha: number): void {
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
  context.globalAlpha = 1;
}
