import type { Command, Option } from 'commander';
import type { InputField } from './input-field.ts';

/** What to type for an operation's example: `stage delete recognise --force`. */
export function commandExample(
  group: Command,
  name: string,
  example: unknown,
  {
    positional,
    options,
  }: { positional: readonly InputField[]; options: readonly { field: InputField; option: Option }[] },
): string {
  const values = new Map(Object.entries(example as Record<string, unknown>));
  const words: string[] = name === '' ? [] : [name];
  // Up to the program itself, whose name the shell puts in front.
  for (let command: Command | null = group; command?.parent; command = command.parent)
    words.unshift(command.name());
  for (const field of positional) words.push(...wordsOf(values.get(field.name), ' '));
  for (const { field, option } of options) {
    const value = values.get(field.name);
    if (value === undefined || value === field.fallback) continue;
    words.push(option.long ?? '', ...(typeof value === 'boolean' ? [] : wordsOf(value, ',')));
  }
  return words.join(' ');
}

function wordsOf(value: unknown, between: ' ' | ','): string[] {
  if (value === undefined) return [];
  if (value === null) return ['none'];
  if (Array.isArray(value)) return between === ' ' ? value.map(quoted) : [quoted(value.join(','))];
  return [quoted(typeof value === 'object' ? JSON.stringify(value) : value)];
}

/** As a shell takes it for one word. */
function quoted(value: unknown): string {
  const text = String(value);
  return /^[\w./:,@+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
