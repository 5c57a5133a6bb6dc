import { type Logger, multistream, pino, stdSerializers } from 'pino';
import { longestMessage, shorten, shortenValues } from '../ground/shorten.ts';
import { RotatingFile } from './rotating-file.ts';

export interface Log {
  logger: Logger;
  close(): void;
}

/** The log of this process: JSON in the file, readable lines on `console`. */
export function openLog(options: { level: string; file: string; console?: (line: string) => void }): Log {
  const file = new RotatingFile(options.file);
  const streams: { level: 'trace'; stream: { write(line: string): void } }[] = [
    { level: 'trace', stream: file },
  ];
  const { console } = options;
  if (console) streams.push({ level: 'trace', stream: { write: (line) => console(forPeople(line)) } });
  const logger = pino(
    {
      level: options.level,
      base: null,
      // Values may repeat input from callers. An error's stack begins with its message.
      formatters: {
        log: (values) =>
          shortenValues(values, { text: longestMessage, entries: 1000 }) as Record<string, unknown>,
      },
      serializers: {
        err: (error: Error) =>
          shortenValues({ ...stdSerializers.err(error) }, { text: 4 * longestMessage, entries: 100 }),
      },
      hooks: {
        logMethod(parts, method) {
          method.apply(
            this,
            parts.map((part) => (typeof part === 'string' ? shorten(part) : part)) as typeof parts,
          );
        },
      },
    },
    multistream(streams),
  );
  return { logger, close: () => file.close() };
}

const levels: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/** `08:15:02 info  worker started  worker=host-1`: one line, whatever the values contain. */
export function forPeople(line: string): string {
  const { level, time, msg, ...rest }: Record<string, unknown> = JSON.parse(line);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const values = valuesInLine(rest);
  return [at, (levels[Number(level)] ?? 'info').padEnd(5), msg ?? '', ' ', values].join(' ').trimEnd();
}

/** `stage=recognise version=3` */
export function valuesInLine(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${shown(value instanceof Error ? value.message : value)}`)
    .join(' ');
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);
  // Untrusted text may contain control characters, which must not reach the terminal.
  return text.replace(/\p{Cc}/gu, '').slice(0, 300);
}
