import { flow } from './flow.ts';
import { parametric } from './parametric.ts';
import type { Policy } from './policy.ts';

/** By the name that the settings and `simulate` know. */
export const policies = { flow, parametric } satisfies Record<string, Policy>;
export type PolicyName = keyof typeof policies;
