import type { z } from 'zod';

/** Describes the first error in what a person wrote: the field, then the problem, without the terms of Zod. */
export function wrongField({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (!issue) return 'it is wrong';
  if (issue.code === 'unrecognized_keys') return inField(issue.path, `there is no field ${issue.keys[0]}`);
  return inField(issue.path, problemOf(issue));
}

function inField(path: readonly PropertyKey[], problem: string): string {
  return path.length === 0 ? problem : `${path.map(String).join('.')}: ${problem}`;
}

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

function problemOf(issue: z.core.$ZodIssue): string {
  // Messages of our own are good as they are; those of Zod begin with a capital letter.
  if (!/^[A-Z]/.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined')
      ? 'it is missing'
      : `it must be ${types[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `it must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_key') return issue.issues[0] ? problemOf(issue.issues[0]) : 'it is no name';
  if (issue.code === 'too_small')
    return isNumber(issue.origin)
      ? `it must be ${issue.minimum} or more`
      : `it is too short; the limit is ${issue.minimum}`;
  if (issue.code === 'too_big')
    return isNumber(issue.origin)
      ? `it must be ${issue.maximum} or less`
      : `it is too long; the limit is ${issue.maximum}`;
  return 'it is wrong';
}

function isNumber(origin: string): boolean {
  return origin === 'number' || origin === 'int';
}
