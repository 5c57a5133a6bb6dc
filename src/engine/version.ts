import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version of this installation. Checkout and packages alike have package.json two folders up. */
export const version: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
