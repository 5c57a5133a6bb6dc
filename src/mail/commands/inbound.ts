import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isSystemError, reasonOf } from '../../engine/files/system-error.ts';
import { hasCode, messageOf, PismakError } from '../../engine/ground/errors.ts';
import { sleep } from '../../engine/time/clock.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { mailReport } from '../operations/inbound.ts';
import type { ReceivedMail } from '../sink/sink.ts';
import { listen, readPort } from './sink.ts';

interface InboundOptions {
  listen?: number;
  host: string;
  once?: boolean;
}

const largest = 1_400_000;
const pauseMs = 2000;
/** A mail is read again for each recipient, and what comes back has one. */
const recipients = 10;

export function addInbound(group: Command, { command, run }: Shell): void {
  command(
    group,
    'inbound [directory]',
    'Take bounces, complaints and unsubscriptions, from a mailbox directory (Maildir) or by SMTP, until Ctrl-C',
    'mail inbound /var/mail/bounces',
    'mail inbound --listen 2526',
  )
    .option('--listen <port>', 'take mails by SMTP on this port', readPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--once', 'read what is in the directory now, then end')
    .action(
      run<InboundOptions>(async (session, directory) => {
        const { listen } = session.options;
        if ((directory === undefined) === (listen === undefined))
          throw new PismakError('invalid-input', 'name a directory, or a port with --listen');
        if (directory !== undefined) return readDirectory(session, directory);
        return listenTo(session, listen ?? 0);
      }),
    );
}

/** Maildir: new mails are in `new`, and move to `cur` once they are taken. A plain directory of files works like one. */
async function readDirectory(session: Session<InboundOptions>, directory: string): Promise<void> {
  const { clock, options, out, signal, stderr } = session;
  const entries = await readdir(directory).catch((error) => {
    throw new PismakError('invalid-input', `${directory} can't be read: ${reasonOf(error)}`);
  });
  const isMaildir = entries.includes('new') && entries.includes('cur');
  const [from, to] = isMaildir ? [join(directory, 'new'), join(directory, 'cur')] : [directory, directory];
  const client = await session.client();
  for (;;) {
    const files = (await readdir(from, { withFileTypes: true })).filter((entry) => entry.isFile());
    for (const name of files.map((file) => file.name).sort()) {
      if (name.startsWith('.') || name.endsWith('.taken') || signal.aborted) continue;
      const content = await readFile(join(from, name)).catch((error: unknown) => {
        // Another process took it meanwhile.
        if (isSystemError(error, 'ENOENT')) return undefined;
        throw new PismakError('invalid-input', `${name} can't be read: ${reasonOf(error)}`, { cause: error });
      });
      if (!content) continue;
      try {
        out.say(`${name}: ${await take(client, content, '')}`);
      } catch (error) {
        // Leave it in place until Pismak is back.
        if (options.once || !hasCode(error, 'unavailable')) throw error;
        stderr.write(`${name} is tried again: ${messageOf(error)}\n`);
        break;
      }
      await rename(join(from, name), join(to, isMaildir ? `${name}:2,S` : `${name}.taken`));
    }
    if (options.once || signal.aborted) return;
    await sleep(clock, pauseMs, signal);
  }
}

/** Replies once the mail is processed. While Pismak is away, the relay keeps the mail and tries again. */
async function listenTo(
  { client, options, out, signal, stderr }: Session<InboundOptions>,
  port: number,
): Promise<void> {
  const connected = await client();
  const onMail = async ({ to, content }: ReceivedMail) => {
    try {
      for (const address of to) out.say(await take(connected, content, address));
    } catch (error) {
      stderr.write(`not taken: ${messageOf(error)}\n`);
      throw error;
    }
  };
  const listener = await listen({ port, host: options.host, recipients, onMail }, 'inbound', '--listen');
  out.say(`what comes back is taken at smtp://${options.host}:${listener.port}`);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await listener.close();
}

async function take(client: Client, content: Buffer, to: string): Promise<string> {
  // Bounces quote the mail at their end; the report comes before.
  const cut = content.subarray(0, largest);
  const report = await client
    .call(mailReport, { content: cut.toString('base64'), to })
    .catch((error: unknown) => {
      // A second attempt would fail the same way.
      if (!hasCode(error, 'invalid-input')) throw error;
    });
  if (!report) return 'not a mail';
  const { kind, mail, isSuppressed, reason } = report;
  if (mail === '')
    return kind === 'other'
      ? 'neither a bounce nor an unsubscription'
      : `a ${kind} that is about none of our mails`;
  return `${kind} of mail ${mail}${isSuppressed ? ', address suppressed' : ''}: ${reason}`;
}
