import { loadSharp } from '../image/load-sharp.ts';
import type { QuarterTurn } from '../page/transformation.ts';
import { type Transformation, turnAndScale } from '../page/transformation.ts';

export interface Turned {
  image: Buffer;
  transformation: Transformation;
}

/** Turns the image of a page clockwise, and updates its transformation from the source. */
export async function turnUpright(
  image: Uint8Array,
  made: Transformation | undefined,
  turn: QuarterTurn,
): Promise<Turned> {
  const sharp = await loadSharp();
  const upright = sharp(image).autoOrient();
  const { width, height } = (await upright.clone().raw().toBuffer({ resolveWithObject: true })).info;
  const before = made ?? turnAndScale({ width, height }, 0, 0, 1);
  const { turn: already, skew, scale } = before.shape ?? { turn: 0, skew: 0, scale: 1 };
  const both = ((already + turn) % 360) as QuarterTurn;
  const why = `hardly any word was sure before it was turned by ${turn} degrees`;
  return {
    image: await sharp(await upright.png({ compressionLevel: 1 }).toBuffer())
      .rotate(turn)
      .png({ compressionLevel: 1 })
      .toBuffer(),
    transformation: {
      ...turnAndScale(before.source, both, -skew, scale),
      steps: [...(before.steps ?? []), { name: 'turn', why }],
      ...(before.sheet && { sheet: before.sheet }),
    },
  };
}
