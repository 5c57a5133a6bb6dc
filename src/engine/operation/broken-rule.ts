import type { z } from 'zod';
import { defineSentences, type Sentence } from '../ground/sentence.ts';

/** How these messages begin. */
const zodsOwn = /^(Invalid |Too (big|small)|Unrecognized |Not |Duplicate )/;

/** Rules, worded to follow the name of a value: `must be a whole number`. Zod's own messages are for programmers. */
const say = defineSentences({
  'rule.missing': (_: Record<never, never>) => 'is missing',
  'rule.type': ({ type }: { type: string }) => `must be ${typeNames[type] ?? type}`,
  'rule.one-of': ({ values }: { values: readonly string[] }) =>
    `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`,
  'rule.not-empty': (_: Record<never, never>) => 'must not be empty',
  'rule.fewest': ({ things, minimum }: { things: string; minimum: number }) =>
    `must have at least ${minimum} ${things}`,
  'rule.most': ({ things, maximum }: { things: string; maximum: number }) =>
    `must have at most ${maximum} ${things}`,
  'rule.above': ({ minimum }: { minimum: number }) => `must be above ${minimum}`,
  'rule.least': ({ minimum }: { minimum: number }) => `must be ${minimum} or more`,
  'rule.below': ({ maximum }: { maximum: number }) => `must be below ${maximum}`,
  'rule.at-most': ({ maximum }: { maximum: number }) => `must be at most ${maximum}`,
  'rule.unknown-fields': ({ fields }: { fields: readonly string[] }) =>
    `has unknown fields: ${fields.join(', ')}`,
  'rule.pattern': ({ pattern }: { pattern: string }) => `must match ${pattern}`,
  'rule.format': ({ format }: { format: string }) => `must be a valid ${format}`,
  /** A rule that a schema words itself, or several of which one must hold. */
  'rule.text': ({ text }: { text: string }) => text,
});

/** What a value must be. Messages that a schema defines itself are kept. */
export function brokenRule(issue: z.core.$ZodIssue): string {
  return ruleOf(issue).message;
}

/** The same, for programs too. */
export function ruleOf(issue: z.core.$ZodIssue): Sentence {
  const own = () => say('rule.text', { text: issue.message });
  if (!zodsOwn.test(issue.message)) return own();
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return say('rule.missing', {});
      return say('rule.type', { type: issue.expected });
    case 'invalid_value':
      return say('rule.one-of', { values: [...new Set(issue.values.map(String))] });
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'unrecognized_keys':
      return say('rule.unknown-fields', { fields: issue.keys });
    case 'invalid_union': {
      const text = [...new Set(issue.errors.flat().map(brokenRule))].join(', or ');
      return text === '' ? own() : say('rule.text', { text });
    }
    case 'invalid_format':
      return issue.format === 'regex'
        ? say('rule.pattern', { pattern: String(issue.pattern) })
        : say('rule.format', { format: issue.format });
    default:
      return own();
  }
}

/** The rule after the name of the field that breaks it: `page must be above 0`. */
export function ruleAbout(name: string, rule: string): string {
  return /^(must|has|is) /.test(rule) ? `${name} ${rule}` : `${name}: ${rule}`;
}

function tooSmall({ origin, minimum: least, inclusive }: z.core.$ZodIssueTooSmall): Sentence {
  const [things, minimum] = [counted[origin], Number(least)];
  if (things !== undefined)
    return minimum === 1 ? say('rule.not-empty', {}) : say('rule.fewest', { things, minimum });
  return say(inclusive === false ? 'rule.above' : 'rule.least', { minimum });
}

function tooBig({ origin, maximum: most, inclusive }: z.core.$ZodIssueTooBig): Sentence {
  const [things, maximum] = [counted[origin], Number(most)];
  if (things !== undefined) return say('rule.most', { things, maximum });
  return say(inclusive === false ? 'rule.below' : 'rule.at-most', { maximum });
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
