import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { brokenRule, ruleAbout } from '../../engine/operation/broken-rule.ts';
import { anyNumber, commaList, jsonObject, textOrFile } from './option-values.ts';

/** A field of an operation's input, as the command line sees it. */
export interface InputField {
  name: string;
  schema: z.ZodType;
  /** The schema without optional, nullable and default. */
  base: z.ZodType;
  required: boolean;
  /** The word `none` stands for null. */
  nullable: boolean;
  /** The default of the operation. */
  fallback: unknown;
  /** For the help. */
  about: string;
}

/**
 * The fields of an input in the order of their declaration. With `areAdjustable`, defaults can be changed elsewhere, for instance in the
 * settings, so a switch makes sense even if it repeats the default.
 */
export function inputFields(input: z.ZodType, { areAdjustable = false } = {}): InputField[] {
  if (!(input instanceof z.ZodObject)) throw new TypeError('the input of an operation must be an object');
  return Object.entries(input.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const field = {
      name,
      schema,
      base: schema,
      required: true,
      nullable: false,
      fallback: undefined as unknown,
    };
    let about = schema.description;
    for (let inner = unwrap(schema); inner; inner = unwrap(inner)) {
      if (field.base instanceof z.ZodNullable) field.nullable = true;
      else field.required = false;
      if (field.base instanceof z.ZodDefault || field.base instanceof z.ZodPrefault)
        field.fallback ??= field.base.def.defaultValue;
      field.base = inner;
      about ??= inner.description;
    }
    if (!(areAdjustable && field.base instanceof z.ZodBoolean))
      return { ...field, about: aboutOf(field, about) };
    const usual = field.fallback === true ? ' (default: on)' : '';
    return {
      ...field,
      fallback: undefined,
      about: `${aboutOf({ ...field, fallback: undefined }, about)}${usual}`,
    };
  });
}

/** `--limit <number>`, `--all`, `--no-images`. */
export function flagsOf({ name, base, fallback }: InputField): string {
  const word = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (base instanceof z.ZodBoolean) return fallback === true ? `--no-${word}` : `--${word}`;
  return `--${word} <${placeholder(base) ?? word}>`;
}

/**
 * The options of a field. A switch without a default has two, `--warc` and `--no-warc`, because its default is set
 * elsewhere; the help shows them as `--[no-]warc`.
 */
export function optionsOf(field: InputField, flags = flagsOf(field), about = field.about): Option[] {
  const option = new Option(flags, about);
  if (!option.isBoolean() || field.fallback !== undefined) return [option];
  const opposite = new Option(flags.replace('--', '--no-')).hideHelp();
  option.description = about.replace('; false: ', `; ${opposite.long}: `);
  option.flags = flags.replace('--', '--[no-]');
  return [option, opposite];
}

/** Reads the value of a field. Reports a value that the declaration refuses as wrong usage. */
export function readField(field: InputField, text: string): unknown {
  const value = field.nullable && text === 'none' ? null : convert(field.base, text);
  return checked(field.schema, value);
}

/** Reads one of several words that together form a list or a text with spaces. */
export function readWord({ base, schema }: InputField, text: string, before: unknown): unknown {
  if (!(base instanceof z.ZodArray))
    return checked(schema, before === undefined ? text : `${before} ${text}`);
  const element = base.element as z.ZodType;
  return [...((before as unknown[] | undefined) ?? []), checked(element, convert(element, text))];
}

function checked(schema: z.ZodType, value: unknown): unknown {
  const { error } = schema.safeParse(value);
  if (error) throw new InvalidArgumentError(`${error.issues.map(inWords).join('; ')}.`);
  return value;
}

function inWords(issue: z.core.$ZodIssue): string {
  const rule = brokenRule(issue);
  if (issue.path.length > 1 || typeof issue.path[0] === 'string')
    return ruleAbout(issue.path.join('.'), rule);
  return rule.startsWith('must') ? `it ${rule}` : rule;
}

function convert(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodNumber) return readNumber(schema, text);
  if (schema instanceof z.ZodArray)
    return commaList(text).map((part) => convert(schema.element as z.ZodType, part));
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodObject) return jsonObject(textOrFile(text));
  // The field takes a number or a name: read digits as a number.
  if (schema instanceof z.ZodUnion && /^\d+$/.test(text)) return Number(text);
  return text;
}

function readNumber(schema: z.ZodNumber, text: string): number {
  const number = anyNumber(text);
  if (schema.safeParse(number).success) return number;
  const { minValue, maxValue: to, format } = schema;
  const from = minValue ?? 0;
  if (minValue !== null && to !== null && to < Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError(`it must be a number from ${from} to ${to}.`);
  const isIncluded = schema.safeParse(from).success;
  const whole = format?.includes('int') ? 'whole ' : '';
  throw new InvalidArgumentError(
    `it must be a ${whole}number${isIncluded ? `, ${from} or more` : ` above ${from}`}.`,
  );
}

function unwrap(schema: z.ZodType): z.ZodType | undefined {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
    ? (schema.unwrap() as z.ZodType)
    : undefined;
}

function placeholder(base: z.ZodType): string | undefined {
  if (base instanceof z.ZodNumber) return 'number';
  if (base instanceof z.ZodArray) return 'a,b';
  if (base instanceof z.ZodRecord || base instanceof z.ZodObject) return 'json';
  return undefined;
}

function aboutOf({ base, fallback }: { base: z.ZodType; fallback: unknown }, about = ''): string {
  const list = base instanceof z.ZodArray ? (base.element as z.ZodType) : base;
  // `ID of a stage` keeps its capitals, `Only this stage` does not.
  const said = /^[A-Z][a-z ]/.test(about) ? about.charAt(0).toLowerCase() + about.slice(1) : about;
  const text = base instanceof z.ZodBoolean && fallback === true ? negated(said) : said;
  const parts = [text, list instanceof z.ZodEnum ? list.options.join(', ') : ''].filter(
    (part) => part !== '',
  );
  // Hide a default of empty, zero or off.
  const isPlain = typeof fallback === 'string' || typeof fallback === 'number' || Array.isArray(fallback);
  const usual = isPlain && Number(fallback) !== 0 ? String(fallback) : '';
  return `${parts.join(': ')}${usual === '' ? '' : ` (default: ${usual})`}`;
}

/** What `--no-warc` does, from what `warc` does: `Keep all; false: keep none`. */
function negated(about: string): string {
  return /; false: (.*)$/s.exec(about)?.[1] ?? (about === '' ? '' : `don't ${about}`);
}
