import { flow } from './flow.ts';
import { parametric } from './parametric.ts';
import type { Policy } from './policy.ts';

/** By the name used in the settings and in `simulate`. */
export const policies = { flow, parametric } satisfies Record<string, Policy>;
export type PolicyName = keyof typeof policies;
