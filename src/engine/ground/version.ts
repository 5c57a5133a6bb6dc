import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version of this installation. In checkouts and packages alike, package.json is two folders up. */
export const version: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))).version;
