import { formatTime } from './format.ts';
import { printable, printableLines } from './printable.ts';
import { type Column, formatTable } from './table.ts';

/** The output of a command. With `--json`, stdout gets only data, and messages go to stderr. */
export interface Output {
  readonly json: boolean;
  /** A list: a table, or with --json the rows. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty?: string): void;
  /** One object: its fields line by line, or with --json the object. */
  object(value: object, fields?: Readonly<Record<string, string | number | null | undefined>>): void;
  /** A sentence that confirms what the command did. */
  say(sentence: string): void;
  /** Ready-made text of several lines. */
  text(text: string): void;
}

/** The methods of a stream such as process.stdout that we need. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function createOutput(options: { stdout: Sink; stderr: Sink; json: boolean }): Output {
  const { stdout, stderr, json } = options;
  const data = (value: unknown) => stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
  return {
    json,
    list(rows, columns, empty = 'none') {
      if (json) data(rows);
      else if (rows.length === 0) stdout.write(`${empty}\n`);
      else {
        const width = stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
        for (const line of formatTable(rows, columns, width)) stdout.write(`${line}\n`);
      }
    },
    object(
      value,
      fields = Object.fromEntries(
        Object.entries(value).map(([name, field]) => [name, readable(name, field)]),
      ),
    ) {
      if (json) return data(value);
      const longest = Math.max(0, ...Object.keys(fields).map((name) => name.length));
      for (const [name, field] of Object.entries(fields)) {
        stdout.write(`${name.padEnd(longest)}  ${printable(String(field ?? '-'))}\n`);
      }
    },
    say(sentence) {
      (json ? stderr : stdout).write(`${printable(sentence)}\n`);
    },
    text(text) {
      stdout.write(`${printableLines(text)}\n`);
    },
  };
}

const timeNames = /(^at|At|After|Before|Until)$/;
/** 2001, in milliseconds: a smaller number is a duration. */
const earliestTime = 1e12;

/** A field as people read it: times as dates, small records as words. */
function readable(name: string, value: unknown): string | number | null | undefined {
  if (value === '') return undefined;
  if (typeof value === 'number' && value >= earliestTime && timeNames.test(name)) return formatTime(value);
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'number')
    return value;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  const isFlat = entries.every(([, field]) => typeof field === 'number' || typeof field === 'boolean');
  if (!isFlat || Array.isArray(value)) return JSON.stringify(value);
  return entries.map(([key, field]) => `${key} ${field}`).join(', ');
}
