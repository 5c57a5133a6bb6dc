import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isSystemError, reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import { type Misbehaviour, parseMisbehaviour } from '../sink/misbehaviour.ts';
import { openSink, type ReceivedMail, type Sink, type SinkOptions } from '../sink/sink.ts';

interface SinkCommandOptions {
  port: number;
  host: string;
  store?: string;
  log?: string;
  quiet?: boolean;
  misbehave: Misbehaviour[];
}

export function addSink(group: Command, { command, run }: Shell): void {
  command(
    group,
    'sink',
    'Run a mail server for tests that takes every mail, delivers none, and misbehaves on request, until Ctrl-C',
    'mail sink --port 2525 --store mails/',
    'mail sink --misbehave 450@rcpt:5% --misbehave cut@end:1% --misbehave 550@rcpt=nobody@',
  )
    .option('--port <port>', 'port to listen on; 0 = any free port', readPort, 2525)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--store <directory>', 'write each mail to a file of its own')
    .option('--log <file>', 'append a line of JSON for each mail: sender, recipient, Message-ID')
    .option('--quiet', 'print no line for each mail')
    .option(
      '--misbehave <rule>',
      'answer 4xx or 5xx, cut the connection, or wait: ACTION@PLACE[:SHARE%][=RECIPIENT]; may be repeated. ' +
        'ACTION is a code, cut or waitMS; PLACE is connect, ehlo, auth, mail, rcpt, data, body or end',
      (text: string, before: Misbehaviour[]) => [...before, parseMisbehaviour(text)],
      [],
    )
    .action(
      run<SinkCommandOptions>(async ({ options, out, signal }) => {
        const { store, log } = options;
        if (store !== undefined) await mkdir(store, { recursive: true });
        const before = store === undefined ? 0 : await lastNumber(store);
        const lines = log === undefined ? undefined : createWriteStream(log, { flags: 'a' });
        const { decodeWords } = await import('postal-mime');
        let count = 0;
        const sink = await listen({
          port: options.port,
          host: options.host,
          misbehave: options.misbehave,
          onMail(mail) {
            count++;
            const about = aboutMail(mail);
            lines?.write(`${JSON.stringify(about)}\n`);
            if (!options.quiet) out.say(`${about.to} ${decodeWords(about.subject)}`);
            if (store === undefined) return undefined;
            const name = `${String(before + count).padStart(6, '0')}.eml`;
            return writeFile(join(store, name), mail.content).catch((error: unknown) => {
              out.say(`${name} can't be written: ${reasonOf(error)}`);
              throw error;
            });
          },
        });
        if (out.json) out.object({ port: sink.port });
        else out.say(`the sink listens: smtp://${options.host}:${sink.port}`);
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        await sink.close();
        await new Promise<void>((resolve) => (lines ? lines.end(resolve) : resolve()));
        out.say(`${formatCount(count, 'mail')} taken`);
      }),
    );
}

/** Number of the last mail stored by an earlier sink. */
async function lastNumber(directory: string): Promise<number> {
  const numbers = (await readdir(directory)).map((name) => Number(/^(\d+)\.eml$/.exec(name)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

/** Listens for mails. `what` names the listener in errors. */
export async function listen(options: SinkOptions, what = 'the sink', option = '--port'): Promise<Sink> {
  return openSink(options).catch((error: unknown) => {
    if (!isSystemError(error, 'EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL')) throw error;
    throw new PismakError(
      'unavailable',
      `${what} can't listen on ${options.host}:${options.port} (${(error as NodeJS.ErrnoException).code}): choose another with ${option} or --host`,
      { cause: error },
    );
  });
}

/** The log entry of a mail. */
export function aboutMail({ from, to, content }: ReceivedMail) {
  const head = content.toString('utf8', 0, Math.max(0, content.indexOf('\r\n\r\n')));
  const field = (line: RegExp) => line.exec(head)?.[1]?.replaceAll('\r\n', '').trim() ?? '';
  return {
    from,
    to: to[0] ?? '',
    id: field(/^message-id: (.*(?:\r\n[ \t].*)*)/im),
    subject: field(/^subject: (.*(?:\r\n[ \t].*)*)/im),
    size: content.length,
  };
}

export function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new PismakError('invalid-input', `${text} is not a port: give a number from 0 to 65535`);
}
