import type { Grey } from '../image/grey.ts';
import { loadSharp } from '../image/load-sharp.ts';
import type { Transformation } from '../page/transformation.ts';

/** The page turned, straightened and scaled, as a PNG. */
export async function reshape(
  page: Grey,
  { image: size, matrix, shape = { turn: 0, skew: 0, scale: 1 } }: Transformation,
  dpi: number | undefined,
): Promise<Buffer> {
  const sharp = await loadSharp();
  const { turn, skew } = shape;
  // Rotation samples single pixels, so reduce first: then every pixel counts.
  const scale = skew !== 0 && shape.scale < 1 ? shape.scale : 1;
  const given = scale === 1 ? page : await resized(page, scale);
  let picture = sharp(given.data, { raw: { width: given.width, height: given.height, channels: 1 } });
  if (skew !== 0) {
    const [a, b, c, d] = [matrix.a, matrix.b, matrix.c, matrix.d].map((each) => each / scale) as [
      number,
      number,
      number,
      number,
    ];
    const rows: [[number, number], [number, number]] = [
      [a, b],
      [c, d],
    ];
    picture = picture.affine(rows, { background: '#fff', interpolator: 'bicubic' });
  } else {
    if (turn !== 0) picture = picture.rotate(turn);
    if (size.width !== (turn % 180 === 0 ? page.width : page.height)) {
      picture = picture.resize({ ...size, fit: 'fill', kernel: kernelFor(shape.scale) });
    }
  }
  if (dpi !== undefined) picture = picture.withDensity(dpi);
  return picture.toColourspace('b-w').png({ compressionLevel: 1, adaptiveFiltering: false }).toBuffer();
}

async function resized({ data, width, height }: Grey, scale: number): Promise<Grey> {
  const sharp = await loadSharp();
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ ...size, fit: 'fill', kernel: kernelFor(scale) })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return { data: new Uint8Array(small.buffer, small.byteOffset, small.length), ...size };
}

/** Measured with Tesseract: reduced letters read best with sharp edges, enlarged ones with soft edges. */
function kernelFor(scale: number): 'lanczos3' | 'cubic' {
  return scale < 1 ? 'lanczos3' : 'cubic';
}
