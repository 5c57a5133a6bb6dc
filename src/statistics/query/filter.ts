import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Attributes } from '../entities/attributes.ts';
import type { Kind } from '../schema/schemas.ts';

const comparisons = ['<', '<=', '=', '!=', '>=', '>', 'between', 'in', 'contains'] as const;
type Comparison = (typeof comparisons)[number];

const value = z.union([z.number(), z.string().max(1000)]);
const condition = z.strictObject({
  /** A dimension, or `name`, `status`, `parent`, `key`, `budget`, `created`. */
  field: z.string().min(1).max(100),
  is: z.enum(comparisons),
  /** One value; two for `between`, which includes both; any number for `in`. */
  value: z.union([value, z.array(value).max(10_000)]),
});

export type Filter = z.infer<typeof condition> | { and: Filter[] } | { or: Filter[] };
/** Nested `and` and `or` of conditions. */
export const filter: z.ZodType<Filter> = z.lazy(() =>
  z.union(
    [
      condition,
      z.strictObject({ and: z.array(filter).max(100) }),
      z.strictObject({ or: z.array(filter).max(100) }),
    ],
    {
      error: `it must be {field, is, value} with one of ${comparisons.join(' ')} as \`is\`, or {and: [...]} or {or: [...]}`,
    },
  ),
);

const texts = ['key', 'name', 'status', 'parent'] as const;
const numbers = { budget: 'budget', created: 'createdAt' } as const;
const textComparisons: readonly Comparison[] = ['=', '!=', 'in', 'contains'];
/** Deeper nesting is a mistake, or an attack. */
const deepest = 10;

/** A filter to test entities with, one after the other. */
export interface CompiledFilter {
  /** Dimensions whose sums it looks at. */
  dimensions: readonly number[];
  needsAttributes: boolean;
  /** `sums` is by dimension. */
  keeps(sums: (dimension: number) => number, attributes: Attributes | undefined): boolean;
}

type Test = CompiledFilter['keeps'];

/** Checks the fields and values of filters, which must all hold. Fails with `invalid-input` that names the field. */
export function compileFilters(filters: readonly Filter[], kind: Kind): CompiledFilter {
  const dimensions = new Set<number>();
  let needsAttributes = false;

  function compile(one: Filter, depth: number): Test {
    if (depth > deepest) throw invalid('filters', `they are nested more than ${deepest} levels deep`);
    if ('and' in one) {
      const all = one.and.map((each) => compile(each, depth + 1));
      return (sums, attributes) => all.every((test) => test(sums, attributes));
    }
    if ('or' in one) {
      const any = one.or.map((each) => compile(each, depth + 1));
      return (sums, attributes) => any.some((test) => test(sums, attributes));
    }
    const dimension = kind.dimensionIndex.get(one.field);
    if (dimension !== undefined) {
      dimensions.add(dimension);
      const holds = numberTest(one.field, one.is, one.value);
      return (sums) => holds(sums(dimension));
    }
    needsAttributes = true;
    if (Object.hasOwn(numbers, one.field)) {
      const holds = numberTest(one.field, one.is, one.value);
      const field = numbers[one.field as keyof typeof numbers];
      return (_, attributes) => {
        const number = attributes?.[field];
        return number !== null && number !== undefined && holds(number);
      };
    }
    const text = texts.find((name) => name === one.field);
    if (!text) {
      const known = [...kind.dimensionIndex.keys(), ...texts, ...Object.keys(numbers)];
      throw invalid(one.field, `there is no such field of ${kind.name}; use one of ${known.join(', ')}`);
    }
    const holds = textTest(one.field, one.is, one.value);
    return (_, attributes) => holds(attributes?.[text] ?? '');
  }

  const all = filters.map((one) => compile(one, 1));
  return {
    keeps: (sums, attributes) => all.every((test) => test(sums, attributes)),
    get dimensions() {
      return [...dimensions];
    },
    get needsAttributes() {
      return needsAttributes;
    },
  };
}

function numberTest(field: string, is: Comparison, given: unknown): (number: number) => boolean {
  const list = (Array.isArray(given) ? given : [given]).map((one: unknown) => {
    const number = typeof one === 'string' && one.trim() !== '' ? Number(one) : one;
    if (typeof number !== 'number' || !Number.isFinite(number))
      throw invalid(field, `${JSON.stringify(one)} is no number`);
    return number;
  });
  const [first = 0, second = 0] = list;
  const count = is === 'between' ? 2 : is === 'in' ? undefined : 1;
  if (count !== undefined && list.length !== count)
    throw invalid(field, `\`${is}\` needs ${count === 1 ? 'one value' : 'two values'}, not ${list.length}`);
  const tests: Partial<Record<Comparison, (number: number) => boolean>> = {
    '<': (number) => number < first,
    '<=': (number) => number <= first,
    '=': (number) => number === first,
    '!=': (number) => number !== first,
    '>=': (number) => number >= first,
    '>': (number) => number > first,
    between: (number) => number >= first && number <= second,
  };
  if (is === 'in') {
    const set = new Set(list);
    return (number) => set.has(number);
  }
  return tests[is] ?? fail(field, is);
}

function textTest(field: string, is: Comparison, given: unknown): (text: string) => boolean {
  if (!textComparisons.includes(is)) return fail(field, is);
  const list = (Array.isArray(given) ? given : [given]).map(String);
  if (is !== 'in' && list.length !== 1) throw invalid(field, `\`${is}\` needs one value, not ${list.length}`);
  const [first = ''] = list;
  if (is === 'contains') {
    const part = first.toLowerCase();
    return (text) => text.toLowerCase().includes(part);
  }
  const set = new Set(list);
  return is === '!=' ? (text) => text !== first : (text) => set.has(text);
}

function fail(field: string, is: Comparison): never {
  throw invalid(field, `\`${is}\` does not fit this field`);
}

function invalid(field: string, message: string): PismakError {
  return new PismakError('invalid-input', `filters: ${field}: ${message}`);
}

/** `cost<5000`, `clicks between 5 and 10`, `status in active,paused`, `name contains shoes`, as people write it. */
export function parseFilter(text: string): Filter {
  const [, field = '', sign, given = ''] =
    /^(\w+)\s*(<=|>=|!=|<|>|=|\s(?:between|in|contains)\s)(.*)$/i.exec(text.trim()) ?? [];
  const rest = given.trim();
  const is = comparisons.find((one) => one === sign?.trim().toLowerCase());
  if (!is || rest === '')
    throw new PismakError(
      'invalid-input',
      `${text}: not a filter; write cost<5000, clicks between 5 and 10, status in active,paused or name contains shoes`,
    );
  if (is === 'between') {
    return { field, is, value: rest.split(/\sand\s|,/i).map(asValue) };
  }
  if (is === 'in') return { field, is, value: rest.split(',').map(asValue) };
  return { field, is, value: asValue(rest) };
}

function asValue(given: string): string | number {
  const text = given.trim();
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}
