import { flow } from './flow.ts';
import { parametric } from './parametric.ts';
import type { Policy } from './policy.ts';

/** Policies by the names used in the settings and in `simulate`. */
export const policies = { flow, parametric } satisfies Record<string, Policy>;
export type PolicyName = keyof typeof policies;
