import { choice, flag, number, parseStageConfig, type StageConfig } from '../../engine/stage/stage-config.ts';
import { limitSettings } from '../image/image-limits.ts';

/** Every step can be switched off. Enabled steps act only if the page needs them. */
export const prepareSettings = {
  ORIENTATION: choice(
    'auto',
    ['exif'],
    'auto also turns sideways and upside-down pages; exif trusts the EXIF orientation',
  ),
  DESKEW: flag(true, 'straightens lines, up to 15 degrees'),
  BORDERS: flag(true, 'whitens the black around the sheet'),
  DENOISE: flag(true, 'smooths grain and removes specks'),
  FLATTEN: flag(true, 'evens out light and shadow'),
  CONTRAST: flag(true, 'strengthens faded ink on grainy pages'),
  // Off, because Tesseract reads shades of grey better.
  BINARISE: flag(false, 'makes the page black and white'),
  RESOLUTION: flag(true, 'enlarges small letters, shrinks huge ones'),
  LETTER_HEIGHT: number(17, 'height of a small x in pixels; pages with smaller letters are enlarged to it', {
    min: 8,
    max: 60,
  }),
  ...limitSettings,
};

export type PrepareConfig = StageConfig<typeof prepareSettings>;

export function parsePrepareConfig(text: string): PrepareConfig {
  return parseStageConfig(text, prepareSettings);
}
