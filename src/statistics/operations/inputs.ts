import { z } from 'zod';
import { granularities, parseDay, parseMonth } from '../calendar/days.ts';
import { isKey, longestKey } from '../entities/key.ts';
import { filter } from '../query/filter.ts';

/** Parts shared by the inputs of several operations. */

export const kindName = z.string().min(1).max(40).describe('Kind of entities, such as keyword');
/** Numbers or names, compared as text. */
const keyRule = `it must be a whole number or a name of 1 to ${longestKey} characters`;
const key = z.union([z.int(keyRule).min(0, keyRule), z.string().refine(isKey, keyRule)], keyRule);
export const userKey = key.describe('User that the statistics belong to');
export const entityKey = key.describe('Key of the entity');
export const date = z
  .string()
  .refine((text) => parseDay(text) !== undefined, { error: 'it must be a date such as 2026-03-29' });
export const month = z
  .string()
  .refine((text) => parseMonth(text) !== undefined, { error: 'it must be a month such as 2026-03' });

/** What series and tables have in common. */
export const question = {
  kind: kindName,
  user: userKey,
  from: date.describe('First day'),
  to: date.describe('Last day, included'),
  filters: z
    .array(filter)
    .max(100)
    .default([])
    .describe('Conditions on sums, name, status, parent, budget or created that an entity must meet'),
  over: z
    .enum(['interval', 'all'])
    .default('interval')
    .describe('Whether filters look at sums over the interval or over all time'),
  split: z.string().max(40).optional().describe('Only this value of the split; default: all of them'),
  dimensions: z.array(z.string().max(40)).max(64).default([]).describe('Default: all dimensions'),
  groupBy: z.string().max(40).optional().describe('Group by parents of this kind: keywords by campaign'),
};

export const granularity = z
  .enum(granularities)
  .default('day')
  .describe('Unit of a point; none: one point for the whole interval');

export const sums = z.record(z.string(), z.number());
export const splitSums = z.record(z.string(), sums);
