import { z } from 'zod';
import { nearestName } from '../ground/nearest-name.ts';
import { type ConfigLine, readConfigLines } from './stage-config-lines.ts';

/**
 * A stage's configuration text, lines `KEY = value`, checked against the keys that its processor knows:
 *
 *     const settings = {
 *       DESKEW: flag(true, 'straightens lines'),
 *       DPI: number(300, 'at which pages are drawn', { min: 72, max: 1200 }),
 *       METHOD: choice('none', ['otsu'], 'how a page is made black and white'),
 *     };
 *     const config = parseStageConfig(text, settings);   // { DESKEW: boolean, DPI: number, METHOD: 'none' | 'otsu' }
 *
 * Throws messages for the administrator. For the syntax of lines see `stage-config-lines.ts`.
 */
export function parseStageConfig<Settings extends StageSettings>(
  text: string,
  settings: Settings,
): StageConfig<Settings> {
  const found = new Map<string, ConfigLine>();
  for (const line of readConfigLines(text, (key) => isVerbatim(settings[key.toUpperCase()]))) {
    const key = line.key.toUpperCase();
    if (!Object.hasOwn(settings, key)) throw unknownKey(line, Object.keys(settings));
    const before = found.get(key);
    if (before) throw new Error(`line ${line.number}: ${key} is already set in line ${before.number}`);
    found.set(key, line);
  }
  const values = Object.entries(settings).map(([key, setting]) => [
    key,
    readValue(key, setting, found.get(key)),
  ]);
  return Object.fromEntries(values) as StageConfig<Settings>;
}

/** How to read the text after `KEY =`. Has a default and a description. */
export type Setting<Value> = z.ZodType<Value, string | undefined>;
export type StageSettings = Readonly<Record<string, Setting<unknown>>>;
export type StageConfig<Settings extends StageSettings> = {
  [Key in keyof Settings]: z.output<Settings[Key]>;
};

export function flag(fallback: boolean, description: string): Setting<boolean> {
  const words = { truthy: ['yes', 'true', 'on', '1'], falsy: ['no', 'false', 'off', '0'] };
  return z
    .stringbool({ ...words, error: 'must be yes or no' })
    .default(fallback)
    .describe(description);
}

/** Undefined if not set and without a fallback. */
export function number<Fallback extends number | undefined>(
  fallback: Fallback,
  description: string,
  { min = -Infinity, max = Infinity, whole = false }: { min?: number; max?: number; whole?: boolean } = {},
): Setting<number | Fallback> {
  let value = z.number({ error: 'must be a number' });
  if (whole) value = value.int({ error: 'must be a whole number' });
  if (min > -Infinity) value = value.min(min, { error: `must be at least ${min}` });
  if (max < Infinity) value = value.max(max, { error: `must be at most ${max}` });
  const read = z
    .string()
    .transform((text) => (text === '' ? Number.NaN : Number(text)))
    .pipe(value);
  const withFallback: z.ZodType<number | undefined, string | undefined> =
    fallback === undefined ? read.optional() : read.default(fallback);
  return withFallback.describe(description) as Setting<number | Fallback>;
}

/** One of a few words, in any case; the fallback is one of them. */
export function choice<Word extends string>(
  fallback: Word,
  others: readonly Word[],
  description: string,
): Setting<Word> {
  const words = [fallback, ...others];
  const one = z.enum(words, { error: `must be one of ${words.join(', ')}` });
  return z.string().toLowerCase().pipe(one).prefault(fallback).describe(description);
}

/** Any text, trimmed. */
export function words(fallback: string, description: string): Setting<string> {
  return z.string().default(fallback).describe(description);
}

/** A shell command line, passed on unchanged: the shell handles quotes and comments. */
export function shellLine(fallback: string, description: string): Setting<string> {
  return z.string().default(fallback).meta({ description, verbatim: true });
}

/**
 * The JSON Schema of a configuration, with the values as they are read (a flag is a boolean). `verbatim` marks a value that is taken
 * unchanged, without quotes and comments.
 */
export function stageConfigSchema(settings: StageSettings): Record<string, unknown> {
  const properties = Object.entries(settings).map(([key, setting]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(setting, { io: 'output', unrepresentable: 'any' });
    const { data } = setting.safeParse(undefined);
    return [key, { ...schema, ...(data !== undefined && { default: data }) }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

function isVerbatim(setting: Setting<unknown> | undefined): boolean {
  return setting?.meta()?.verbatim === true;
}

function readValue(key: string, setting: Setting<unknown>, line: ConfigLine | undefined): unknown {
  const read = setting.safeParse(line?.value);
  if (read.success) return read.data;
  const trouble = read.error.issues.map(({ message }) => message).join(', ');
  const about = setting.description === undefined ? '' : ` (${key}: ${setting.description})`;
  throw new Error(`line ${line?.number}: ${key} ${trouble}, found: ${line?.value}${about}`);
}

function unknownKey({ number, key }: ConfigLine, known: readonly string[]): Error {
  const near = nearestName(key, known);
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return new Error(`line ${number}: unknown key ${key}; ${hint}known: ${known.join(', ')}`);
}
