import { choice, flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

/** Every step can be switched off. A step that is on acts only where the page needs it. */
const settings = {
  ORIENTATION: choice(
    'auto',
    ['exif'],
    'auto also turns pages that lie on their side or head; exif trusts what the camera noted',
  ),
  DESKEW: flag(true, 'straightens lines, up to 15 degrees'),
  BORDERS: flag(true, 'whitens the black around the leaf'),
  DENOISE: flag(true, 'smooths grain and removes specks'),
  FLATTEN: flag(true, 'evens out light and shadow'),
  CONTRAST: flag(true, 'strengthens faded ink, removes what shines through from the other side'),
  // Off, because Tesseract reads shades of grey better.
  BINARISE: flag(false, 'makes the page black and white'),
  RESOLUTION: flag(true, 'enlarges small letters, makes huge ones smaller'),
  LETTER_HEIGHT: number(17, 'height in pixels of a small x that pages with smaller ones are scaled to', {
    min: 8,
    max: 60,
  }),
  ...limitSettings,
};

export type PrepareConfig = StageConfig<typeof settings>;

export function parsePrepareConfig(text: string): PrepareConfig {
  return parseStageConfig(text, settings);
}
