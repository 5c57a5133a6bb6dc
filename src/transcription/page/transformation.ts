import { z } from 'zod';
import { box } from './page.ts';

/** Degrees to turn a page clockwise to make it upright. */
export type QuarterTurn = 0 | 90 | 180 | 270;

/** What `prepare` can do to a page, as people read it. Some steps change where things are, all others how dark they are. */
const stepTable = {
  turn: { said: 'turned', isShape: true },
  straighten: { said: 'straightened', isShape: true },
  scale: { said: 'scaled', isShape: true },
  border: { said: 'border whitened', isShape: false },
  grain: { said: 'grain smoothed', isShape: false },
  paper: { said: 'paper whitened', isShape: false },
  contrast: { said: 'contrast strengthened', isShape: false },
  'other side': { said: 'text from the other side removed', isShape: false },
  binarise: { said: 'made black and white', isShape: false },
};

/** One thing that was done to a page, and the evidence for it. */
export interface Step {
  name: keyof typeof stepTable;
  why: string;
}

/** A step that another worker may have taken: a newer one may know more of them. */
const takenStep = z.object({ name: z.string(), why: z.string() });
type TakenStep = z.infer<typeof takenStep>;

/** A quarter turn clockwise, then how many degrees the lines fall to the right, then a scale. */
const shape = z.object({
  turn: z.literal([0, 90, 180, 270]),
  skew: z.number(),
  scale: z.number().positive(),
});
export type Shape = z.infer<typeof shape>;

/**
 * Maps a place in the source (after its EXIF orientation) to the same place in the prepared image:
 * x' = a x + b y + e, y' = c x + d y + f. All boxes of a page are in pixels of the prepared image.
 */
export const transformation = z.object({
  source: z.object({ width: z.int().positive(), height: z.int().positive() }),
  image: z.object({ width: z.int().positive(), height: z.int().positive() }),
  matrix: z.object({
    a: z.number(),
    b: z.number(),
    c: z.number(),
    d: z.number(),
    e: z.number(),
    f: z.number(),
  }),
  shape: shape.optional(),
  steps: z.array(takenStep).optional(),
  /** The sheet inside the black border of the scan, in pixels of the source, if there is a border. */
  sheet: box.optional(),
});
export type Transformation = z.infer<typeof transformation>;

export function changesShades(steps: readonly TakenStep[] | undefined): boolean {
  return (steps ?? []).some(({ name }) => !known(name)?.isShape);
}

/** What was done and why, for people. */
export function describeSteps(steps: readonly TakenStep[]): string {
  return steps.map(({ name, why }) => `${known(name)?.said ?? name} (${why})`).join('; ');
}

function known(name: string) {
  return (stepTable as Readonly<Record<string, { said: string; isShape: boolean }>>)[name];
}

/** A quarter turn, then `angle` degrees clockwise, then a scale. The image is large enough for the result. */
export function turnAndScale(
  source: { width: number; height: number },
  turn: QuarterTurn,
  angle: number,
  scale: number,
): Transformation {
  const radians = ((turn + angle) * Math.PI) / 180;
  const a = round(Math.cos(radians) * scale);
  const c = round(Math.sin(radians) * scale);
  const corners = [
    [0, 0],
    [source.width, 0],
    [0, source.height],
    [source.width, source.height],
  ].map(([x = 0, y = 0]) => ({ x: a * x - c * y, y: c * x + a * y }));
  const left = Math.min(...corners.map(({ x }) => x));
  const top = Math.min(...corners.map(({ y }) => y));
  const width = Math.max(1, Math.round(Math.max(...corners.map(({ x }) => x)) - left));
  const height = Math.max(1, Math.round(Math.max(...corners.map(({ y }) => y)) - top));
  const { width: sourceWidth, height: sourceHeight } = source;
  return {
    source: { width: sourceWidth, height: sourceHeight },
    image: { width, height },
    matrix: { a, b: -c + 0, c, d: a, e: round(-left), f: round(-top) },
    shape: { turn, skew: -angle + 0, scale },
  };
}

/** Maps a place in the prepared image back to the source. */
export function backToSource({ matrix }: Transformation, x: number, y: number): { x: number; y: number } {
  const { a, b, c, d, e, f } = matrix;
  const determinant = a * d - b * c;
  return {
    x: (d * (x - e) - b * (y - f)) / determinant,
    y: (a * (y - f) - c * (x - e)) / determinant,
  };
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}
