import type { Random } from '../../src/engine/ground/identity.ts';
import type { Schema } from './operations-list.ts';

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Names that a program may treat as something else. */
const nasty = [
  '',
  ' ',
  '.',
  '..',
  '../../../../etc/passwd',
  '/etc/shadow',
  'C:\\Windows\\win.ini',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egnp.exe',
  '‮',
  'NaN',
  'null',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '"; DROP TABLE account; --',
  '%',
  '_%_%_%',
  '" NEAR/9999 "',
  'a* b* c* d*',
  '(((((((((((((((((((',
  '^(a+)+$',
  `${'a'.repeat(200)}!`,
  '{{constructor.constructor("return process")()}}',
  '<script>alert(1)</script>',
  '\u001b]0;owned\u0007',
  '\r\nset-cookie: a=b',
  '𝕬'.repeat(300),
  'é'.normalize('NFD'),
  '2026-02-31T25:61:61Z',
  '9'.repeat(400),
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  'gopher://localhost:25/',
  'http://[::ffff:127.0.0.1]/',
];
const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  1e-308,
  4_102_444_800_000,
  255,
  65_536,
];

export interface Known {
  /** Ids and names of other people's things: they must stay out of reach. */
  foreign: readonly string[];
  /** The attacker's own things, and names that everybody knows. */
  own: readonly string[];
}

/** An input that is nearly right, or wrong in one way or another. */
export function hostileInput(random: Random, schema: Schema, example: unknown, known: Known): unknown {
  const roll = random();
  if (roll < 0.05) return example;
  if (roll < 0.08) return pick(random, [null, [], 'text', 1, true, [[[[]]]], { '': '' }]);
  const value = valueFor(random, schema, known, 0);
  if (roll < 0.3 && isObject(value) && isObject(example)) return { ...example, ...some(random, value) };
  if (roll < 0.36 && isObject(value)) return { ...value, [pick(random, nasty)]: pick(random, nasty) };
  if (roll < 0.4 && isObject(value)) return widened(random, value);
  return value;
}

function valueFor(random: Random, schema: Schema, known: Known, depth: number): unknown {
  if (depth > 8) return null;
  if (random() < 0.08) return wrong(random, known);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random() < 0.9 ? pick(random, schema.enum) : pick(random, nasty);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueFor(random, pick(random, choices), known, depth + 1);
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
  if (type === 'object' || schema.properties) {
    const kept = Object.entries(schema.properties ?? {}).filter(() => random() < 0.8);
    return Object.fromEntries(kept.map(([name, one]) => [name, valueFor(random, one, known, depth + 1)]));
  }
  if (type === 'array') {
    if (random() < 0.03) return manyOf(valueFor(random, schema.items ?? {}, known, depth + 1));
    const count = Math.floor(random() * 4);
    return Array.from({ length: count }, () => valueFor(random, schema.items ?? {}, known, depth + 1));
  }
  if (type === 'integer' || type === 'number')
    return random() < 0.5 ? Math.floor(random() * 100) : pick(random, numbers);
  if (type === 'boolean') return random() < 0.5;
  return text(random, known);
}

/** The same value thousands of times, at most a few megabytes: lists within lists would not fit into a string otherwise. */
function manyOf(value: unknown): unknown[] {
  const size = (JSON.stringify(value) ?? '').length + 1;
  return Array.from({ length: Math.min(3_000, Math.ceil(4_000_000 / size)) }, () => value);
}

function text(random: Random, known: Known): string {
  const roll = random();
  if (roll < 0.35 && known.foreign.length > 0) return pick(random, known.foreign);
  if (roll < 0.6 && known.own.length > 0) return pick(random, known.own);
  if (roll < 0.63) return 'x'.repeat(pick(random, [1_000, 30_000, 300_000]));
  if (roll < 0.66) return Array.from({ length: 60 }, (_, n) => `obec${n}`).join(' ');
  if (roll < 0.9) return pick(random, nasty);
  return Math.floor(random() * 1e9).toString(36);
}

function wrong(random: Random, known: Known): unknown {
  return pick(random, [null, {}, [], pick(random, numbers), text(random, known), deep(20), true]);
}

function some(random: Random, value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(() => random() < 0.4));
}

function widened(random: Random, value: Record<string, unknown>): Record<string, unknown> {
  const count = pick(random, [50, 5_000]);
  return { ...value, ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n])) };
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
