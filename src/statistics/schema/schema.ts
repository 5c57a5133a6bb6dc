import { z } from 'zod';

const word = z
  .string()
  .max(40)
  .regex(/^[a-z][A-Za-z0-9]*$/, 'letters and digits, beginning with a small letter');

/** Words that have another meaning in filters, columns and events. */
const reserved = [
  'id',
  'kind',
  'entity',
  'user',
  'split',
  'at',
  'day',
  'dimensions',
  'key',
  'parent',
  'sums',
  'name',
  'status',
  'budget',
  'created',
  'and',
  'or',
  'all',
  'none',
  'in',
  'between',
];

/**
 * What is counted, of what, and how it splits. Stored columns are numbered by the order of the lists here, so a new version
 * only appends to `dimensions` and to the values of `split`.
 */
export const schemaFile = z
  .strictObject({
    name: word,
    version: z.int().min(1),
    /** Kinds of entities, and the kind of their parents. */
    kinds: z.record(word, z.strictObject({ parent: word.optional() })),
    dimensions: z
      .array(
        z.strictObject({
          name: word,
          /** `money` is in the smallest unit and may be negative (a refund); `duration` is in ms. */
          type: z.enum(['counter', 'money', 'duration']),
        }),
      )
      .min(1)
      .max(64),
    split: z.strictObject({
      name: word,
      values: z.array(word).min(1).max(32),
      /** For events that name none; without it they are refused. */
      default: word.optional(),
    }),
    /** Ratios of two dimensions, for columns and sorting: `"ctr": ["clicks", "impressions"]`. */
    derived: z.record(word, z.tuple([word, word])).default({}),
  })
  .superRefine((schema, context) => {
    const issue = (message: string) => context.addIssue({ code: 'custom', message });
    const dimensions = schema.dimensions.map(({ name }) => name);
    const names = [...dimensions, ...Object.keys(schema.derived)];
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) !== index) issue(`${name} is there twice`);
      if (reserved.includes(name)) issue(`${name} has a meaning of its own; choose another name`);
    }
    for (const [name, parts] of Object.entries(schema.derived))
      for (const part of parts)
        if (!dimensions.includes(part)) issue(`derived.${name}: there is no dimension ${part}`);
    for (const [kind, { parent }] of Object.entries(schema.kinds)) {
      if (parent !== undefined && !Object.hasOwn(schema.kinds, parent))
        issue(`kinds.${kind}: there is no kind ${parent}`);
      if (ancestry(schema.kinds, kind).at(-1) === kind) issue(`kinds.${kind}: it is its own ancestor`);
    }
    const { values, default: fallback } = schema.split;
    if (new Set(values).size < values.length) issue('split.values: a value is there twice');
    if (fallback !== undefined && !values.includes(fallback)) issue(`split.default: ${fallback} is no value`);
  });

export type Schema = z.output<typeof schemaFile>;

/** The kinds above this one, the nearest first. Ends where it would repeat. */
export function ancestry(kinds: Schema['kinds'], kind: string): string[] {
  const above: string[] = [];
  for (let at = kinds[kind]?.parent; at !== undefined && !above.includes(at); at = kinds[at]?.parent) {
    above.push(at);
    if (at === kind) break;
  }
  return above;
}

/** Why stored data of `before` can't be read with `now`; undefined if it can. */
export function incompatibility(before: Schema, now: Schema): string | undefined {
  if (now.version < before.version)
    return `version ${now.version} is older than version ${before.version}, which the stored data has`;
  const names = (schema: Schema) => schema.dimensions.map(({ name }) => name);
  if (!beginsWith(names(now), names(before)))
    return `its dimensions must begin with ${names(before).join(', ')}: append new ones`;
  for (const [index, { name, type }] of before.dimensions.entries()) {
    const other = now.dimensions[index]?.type;
    // A counter that becomes money would change what the sums mean, and whether they may be negative.
    if (other !== type) return `${name} was counted as ${type} and can't become ${other}`;
  }
  if (!beginsWith(now.split.values, before.split.values))
    return `the values of its split must begin with ${before.split.values.join(', ')}: append new ones`;
  const gone = Object.keys(before.kinds).find((kind) => !(kind in now.kinds));
  return gone === undefined ? undefined : `it lacks the kind ${gone}`;
}

function beginsWith(list: readonly string[], first: readonly string[]): boolean {
  return first.every((name, index) => list[index] === name);
}
