import { factorFor } from '../image/grey.ts';
import type { ImageLimits } from '../image/image-limits.ts';
import { readGrey } from '../image/open-image.ts';
import { type Step, type Transformation, turnAndScale } from '../page/transformation.ts';
import { cleanShades, findShades } from './clean-shades.ts';
import type { PrepareConfig } from './prepare-config.ts';
import { reshape } from './reshape.ts';

export interface View {
  png: Buffer;
  steps: Step[];
}

export const viewNames = ['plain', 'thorough', 'ghosts'] as const;
export type ViewName = (typeof viewNames)[number];

/**
 * The page in the geometry of its prepared image, with its original shades or cleaned more thoroughly. Undefined if there is
 * nothing to clean.
 */
export async function viewOf(
  name: ViewName,
  source: Uint8Array,
  made: Transformation | undefined,
  config: PrepareConfig,
  limits: ImageLimits,
): Promise<View | undefined> {
  const page = await readGrey(source, limits);
  const transformation = made ?? turnAndScale(page, 0, 0, 1);
  const dpi = page.dpi && Math.round(page.dpi * (transformation.shape?.scale ?? 1));
  if (name === 'plain') return { png: await reshape(page, transformation, dpi), steps: [] };
  const shades = findShades(page, factorFor(page, 1000), config);
  const { page: clean, steps } = await cleanShades(page, shades, config, name);
  if (name === 'ghosts' && !steps.some((step) => step.name === 'other side')) return undefined;
  return steps.length === 0 ? undefined : { png: await reshape(clean, transformation, dpi), steps };
}
