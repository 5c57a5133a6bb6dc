import { choice, flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

/** Every step can be switched off. A step that is on acts only where the page needs it. */
const settings = {
  /** `auto` also turns pages that lie on their side or head; `exif` trusts what the camera noted. */
  ORIENTATION: choice('auto', ['exif']),
  /** Straightens lines, up to 15 degrees. */
  DESKEW: flag(true),
  /** Whitens the black around the leaf. */
  BORDERS: flag(true),
  /** Smooths grain and removes specks. */
  DENOISE: flag(true),
  /** Evens out light and shadow. */
  FLATTEN: flag(true),
  /** Strengthens faded ink, removes what shines through from the other side. */
  CONTRAST: flag(true),
  /** Black and white only. Off, because Tesseract reads shades of grey better. */
  BINARISE: flag(false),
  /** Small letters are enlarged, huge ones made smaller. */
  RESOLUTION: flag(true),
  /** The height of a small letter x, in pixels, that pages are scaled to when theirs is too small to be read well. */
  LETTER_HEIGHT: number(17, { min: 8, max: 60 }),
  ...limitSettings,
};

export type PrepareConfig = StageConfig<typeof settings>;

export function parsePrepareConfig(text: string): PrepareConfig {
  return parseStageConfig(text, settings);
}
