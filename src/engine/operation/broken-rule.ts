import type { z } from 'zod';

/** How these messages begin. */
const zodsOwn = /^(Invalid |Too (big|small)|Unrecognized |Not |Duplicate )/;

/**
 * What a value must be, worded to follow its name: `must be a whole number`. Zod's own messages are for programmers. Messages that a
 * schema defines itself are kept.
 */
export function brokenRule(issue: z.core.$ZodIssue): string {
  if (!zodsOwn.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf([...new Set(issue.values.map(String))]);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return issue.origin in counted
        ? `must have at most ${issue.maximum} ${counted[issue.origin]}`
        : `must be ${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return [...new Set(issue.errors.flat().map(brokenRule))].join(', or ') || issue.message;
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    default:
      return issue.message;
  }
}

/** The rule after the name of the field that breaks it: `page must be above 0`. */
export function ruleAbout(name: string, rule: string): string {
  return /^(must|has|is) /.test(rule) ? `${name} ${rule}` : `${name}: ${rule}`;
}

const oneOf = (values: string[]) => `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  const things = counted[origin];
  if (things !== undefined)
    return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${things}`;
  return inclusive === false ? `must be above ${minimum}` : `must be ${minimum} or more`;
}

const counted: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

const typeNames: Readonly<Record<string, string>> = {
  record: 'an object',
  object: 'an object',
  array: 'a list',
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
};
