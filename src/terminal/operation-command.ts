import { Argument, type Command, type Option } from 'commander';
import type { z } from 'zod';
import type { Operation } from '../engine/operation/operation.ts';
import { commandExample } from './options/command-example.ts';
import { type InputField, inputFields, optionsOf, readField, readWord } from './options/input-field.ts';
import type { Column } from './output/table.ts';
import type { Session } from './session.ts';
import { pathOf, type Shell } from './shell.ts';

/** What a command adds to the declaration of its operation. */
export interface CommandOf<Input extends z.ZodType, Output extends z.ZodType> {
  /**
   * The name, and arguments for the first fields of the input: `delete <stage>`. All other fields are options. Without a
   * name, the group itself is the command.
   */
  usage: string;
  /** Former names: they work for one more version, hidden from help. */
  old?: readonly string[];
  /** Replaces the summary of the operation. */
  summary?: string;
  /** Shown after the example that comes from the operation. */
  examples?: readonly string[];
  /** Overrides the declaration of a field; false: the field has no option. */
  fields?: { readonly [Name in keyof z.input<Input>]?: FieldOptions | false };
  /** Fixed values that this command always sends. */
  given?: Partial<z.input<Input>>;
  /** Why the command needs --yes. */
  confirm?: string;
  /** Finds further input before the call: asks the user, uploads files, or reads additional options. */
  complete?(session: CommandSession, input: z.input<Input>): Promise<Partial<z.input<Input>>>;
  /** Prints the rows of the answer's list. */
  columns?: Columns<Output> | ((session: CommandSession, input: z.input<Input>) => Columns<Output>);
  /** Printed instead of an empty list. */
  empty?: string | ((input: z.input<Input>) => string);
  /** The data that --json prints; the whole answer by default. */
  data?(answer: z.output<Output>): object;
  /** Confirms the change in a sentence; --json prints the answer instead, unless it is empty. */
  say?(answer: z.output<Output>, input: z.input<Input>): string;
  /** Prints the answer for people if printing it field by field is not enough. */
  show?(answer: z.output<Output>, session: CommandSession): void;
  /** Runs after the answer is printed, for instance to wait for the started work if the user asked for it. */
  follow?(answer: z.output<Output>, session: CommandSession, input: z.input<Input>): Promise<void>;
}

export interface FieldOptions {
  /** `--if-version <number>` */
  flags?: string;
  about?: string;
  /** False: `complete` finds the value if the option is missing. */
  mandatory?: false;
  read?(text: string): unknown;
}

type CommandSession = Session<Record<string, unknown>>;
type Columns<Output extends z.ZodType> = readonly Column<RowOf<z.output<Output>>>[];
/** The type of a row of the list in the answer. */
type RowOf<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row)[] ? Row : never;
}[keyof Answer];

/** Keyed by the command, because Commander's commands can't hold extra data. */
const operations = new WeakMap<Command, Operation>();

/** The operation that a command runs. */
export function operationOf(command: Command): Operation | undefined {
  return operations.get(command);
}

/** Creates commands from operations: help, arguments, options and validation come from the declaration. */
export function operationCommands(group: Command, shell: Shell) {
  return <Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    command: CommandOf<Input, Output>,
  ): Command => {
    const [name, words] = splitUsage(command.usage);
    const fields = inputFields(operation.input);
    const parameters = words.map((word, index) => argumentFor(word, fields[index], command));
    const options = fields
      .slice(words.length)
      .filter(({ name }) => !Object.hasOwn(command.given ?? {}, name) && fieldOf(command, name) !== false)
      .flatMap((field) =>
        optionsFor(field, fieldOf(command, field.name) || {}).map((option) => ({ field, option })),
      );
    const example = commandExample(operation.example, { parameters, fields, options });
    const examples = [
      ...(example
        ? [[...pathOf(group), name, ...example, command.confirm && '--yes'].filter(Boolean).join(' ')]
        : []),
      ...(command.examples ?? []),
    ];
    const made = shell.command(group, name, command.summary ?? operation.summary, ...examples);
    for (const old of command.old ?? []) shell.renamed(group, old, name);
    for (const parameter of parameters) made.addArgument(parameter);
    for (const { option } of options) made.addOption(option);
    if (command.confirm !== undefined) made.requiredOption('--yes', command.confirm);
    operations.set(made, operation);
    return made.action(
      shell.run<Record<string, unknown>, (Said | undefined)[]>(async (session, ...values) => {
        // Each value was checked when it was read, and the operation checks the whole input.
        const said = { ...command.given, ...inputFrom(fields, values, options, session) } as z.input<Input> &
          object;
        const input = { ...said, ...(await command.complete?.(session, said)) };
        const answer = await (await session.client()).call(operation, input);
        print(command, answer, input, session);
        await command.follow?.(answer, session, input);
      }),
    );
  };
}

/** The name of the command (empty: of the group itself) and its arguments. */
function splitUsage(usage: string): [string, string[]] {
  const words = usage.split(' ').filter((word) => word !== '');
  const named = words[0] !== undefined && !/^[<[]/.test(words[0]);
  return named ? [words[0] ?? '', words.slice(1)] : ['', words];
}

function inputFrom(
  fields: readonly InputField[],
  values: readonly (Said | undefined)[],
  options: readonly { field: InputField; option: Option }[],
  session: CommandSession,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [index, value] of values.entries()) {
    const field = fields[index];
    if (field && value) input[field.name] = value.value;
  }
  for (const { field, option } of options) {
    const value = session.options[option.attributeName()];
    if (value instanceof Said) input[field.name] = value.value;
    // Commander sets an absent `--no-primer` to true, unless `--primer` exists too.
    else if (typeof value === 'boolean' && value !== (option.negate || field.fallback))
      input[field.name] = value;
  }
  return input;
}

/** A parsed value. Boxed, because Commander turns null into an empty text. */
class Said {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

function fieldOf(command: { fields?: object }, name: string): FieldOptions | false | undefined {
  return (command.fields as Readonly<Record<string, FieldOptions | false>> | undefined)?.[name];
}

function argumentFor(word: string, field: InputField | undefined, command: { fields?: object }): Argument {
  if (!field) throw new TypeError(`${word} is not a field of the input`);
  const { about = field.about, read } = fieldOf(command, field.name) || {};
  const argument = new Argument(word, about);
  if (!argument.variadic)
    return argument.argParser((text) => new Said(read ? read(text) : readField(field, text)));
  return argument.argParser((text, before: Said | undefined) => {
    if (!read) return new Said(readWord(field, text, before?.value));
    return new Said([...((before?.value as unknown[]) ?? []), ...(read(text) as unknown[])]);
  });
}

function optionsFor(field: InputField, { mandatory, read, flags, about }: FieldOptions): Option[] {
  const needed = mandatory ?? field.required;
  return optionsOf(field, flags, about).map((option) =>
    option.isBoolean() || option.negate
      ? option
      : option
          .makeOptionMandatory(needed)
          .argParser((text) => new Said(read ? read(text) : readField(field, text))),
  );
}

function print<Input extends z.ZodType, Output extends z.ZodType>(
  { columns, empty, data = (whole) => whole as object, say, show }: CommandOf<Input, Output>,
  answer: z.output<Output>,
  input: z.input<Input>,
  session: CommandSession,
): void {
  const { out } = session;
  const whole = answer as object;
  if (columns) {
    const rows = Object.values(whole).find(Array.isArray) ?? [];
    const shown = typeof columns === 'function' ? columns(session, input) : columns;
    out.list(rows, shown, typeof empty === 'function' ? empty(input) : empty);
  } else if (out.json && Object.keys(whole).length > 0) out.object(data(answer));
  else if (say) out.say(say(answer, input));
  else if (show) show(answer, session);
  else out.object(whole);
}
