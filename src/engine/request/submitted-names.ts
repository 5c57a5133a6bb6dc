import { z } from 'zod';
import { ownedName } from '../stage/owned-name.ts';

export const stageList = z
  .array(ownedName)
  .min(2, 'give at least one stage and, last, the output queue for the results')
  .max(100);

/** Results are saved under their file names, so names that could escape a directory are refused on entry. */
export const fileName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u,
    'a file name has up to 255 characters without slashes, and is not . or ..',
  );
