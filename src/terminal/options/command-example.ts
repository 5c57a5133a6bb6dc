import type { Argument, Option } from 'commander';
import type { InputField } from './input-field.ts';

/** The command line for an operation's example: `recognise --force`; undefined if the example lacks an argument. */
export function commandExample(
  example: unknown,
  command: {
    parameters: readonly Argument[];
    /** The fields of the input; the first ones are the parameters. */
    fields: readonly InputField[];
    options: readonly { field: InputField; option: Option }[];
  },
): string[] | undefined {
  const values = new Map(Object.entries(example as Record<string, unknown>));
  const words: string[] = [];
  for (const [index, { required }] of command.parameters.entries()) {
    const value = values.get(command.fields[index]?.name ?? '');
    if (value === undefined && required) return undefined;
    words.push(...(Array.isArray(value) ? value : [value]).filter((one) => one !== undefined).map(wordOf));
  }
  for (const { field, option } of command.options) {
    const value = values.get(field.name);
    if (value === undefined || value === field.fallback) continue;
    // `--no-warc` means false and takes no value.
    if (value === option.negate) continue;
    words.push(option.long ?? '', ...(typeof value === 'boolean' ? [] : [wordOf(value)]));
  }
  return words;
}

/** Quoted so that a shell reads it as one word. */
function wordOf(value: unknown): string {
  if (value === null) return 'none';
  const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value);
  return /^[\w./:,@+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
