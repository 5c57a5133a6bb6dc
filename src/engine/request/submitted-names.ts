import { z } from 'zod';
import { stageName } from '../stage/stage.ts';

export const stageList = z
  .array(stageName)
  .min(2, 'name at least one stage and, last, the output queue for the results')
  .max(100);

/** Results are saved under the names of files, so what could leave a directory is refused where it comes in. */
export const fileName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u,
    'a file is named by up to 255 characters without slashes, and not . or ..',
  );
