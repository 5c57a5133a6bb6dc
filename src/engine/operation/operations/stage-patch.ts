import { z } from 'zod';
import { retryPolicy, type Stage, stageDefinition } from '../../stage/stage.ts';
import type { StagePatch } from '../../stage/stages.ts';

/**
 * Any field of a stage's definition and of its retry policy. Defaults are removed first: in Zod, an omitted optional field
 * with a default takes the default, so changing one field would reset all others.
 */
export const stagePatch = z.strictObject({
  ...withoutDefaults(stageDefinition.omit({ name: true }).shape),
  retry: z.strictObject(withoutDefaults(retryPolicy.shape)).exactOptional(),
});

/** Fields missing from the patch stay as they are, inside the retry policy too. */
export function applyTo(before: Stage, { retry, ...patch }: z.output<typeof stagePatch>): StagePatch {
  return retry ? { ...patch, retry: { ...before.retry, ...retry } } : patch;
}

type WithoutDefault<Field> = Field extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
  ? Inner
  : Field;
type WithoutDefaults<Shape> = {
  [Name in keyof Shape]: z.ZodExactOptional<Extract<WithoutDefault<Shape[Name]>, z.ZodType>>;
};

function withoutDefaults<Shape extends z.ZodRawShape>(shape: Shape): WithoutDefaults<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const bare = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
    return [name, z.exactOptional(bare)];
  });
  return Object.fromEntries(fields) as WithoutDefaults<Shape>;
}
