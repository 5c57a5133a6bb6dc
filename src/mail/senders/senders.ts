import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Broker } from '../../engine/broker/broker.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { Composer } from '../compose/composer.ts';
import { readAttachment } from '../compose/load-attachment.ts';
import { buildSkeleton } from '../mime/skeleton.ts';
import { checkDesign } from '../model/design.ts';
import { checkMail, type MailFields, type MailInput } from '../model/mail.ts';
import { Relays } from '../relays/relays.ts';
import { classesOf, mailSettings } from '../settings/settings.ts';
import { compileTemplate } from '../templates/compile.ts';
import { tokensOf } from '../tokens/tokens.ts';
import type { MailSender } from './mail-sender.ts';
import { callServer, type MailStore } from './mail-store.ts';
import { asInput } from './mails.ts';
import { queueTogether } from './queue-together.ts';

/** Keeps mails in memory: for tests. */
export function memorySender(): MailSender & { readonly sent: readonly MailFields[] } {
  const sent: MailFields[] = [];
  return {
    sent,
    async send(mail) {
      sent.push(checkMail(mail));
      return { id: newId(systemClock) };
    },
    async close() {},
  };
}

/** Hands mails to a mail server over HTTP. */
export function httpSender({ url, key }: { url: string; key: string }): MailSender {
  return {
    async send(mail) {
      return {
        id: ((await callServer(url, key, 'mail/send', asInput(checkMail(mail)))) as { id: string }).id,
      };
    },
    async close() {},
  };
}

/** Sends mails directly to a relay: `smtp://127.0.0.1:25`. */
export function smtpSender(options: {
  url: string;
  store: MailStore;
  connections?: number;
  mail?: object;
}): MailSender {
  const { url, connections = 5 } = options;
  const settings = mailSettings.parse({ ...options.mail, relays: [{ url, connections }] });
  const relays = new Relays(settings.relays, { clock: systemClock, name: settings.name });
  const compose = directComposer(options.store, settings);
  return {
    send: awake(async (mail) => {
      const { id, composed, className } = await compose(checkAlone(mail));
      const { envelope, message, bcc, copyFrom } = composed;
      const lane = composed.lane ?? classesOf(settings).get(className)?.lane ?? 'normal';
      const job = { className, lane, message };
      const outcome = await relays.send({ ...job, envelope });
      if (outcome.kind !== 'sent')
        throw new PismakError(
          outcome.kind === 'failed' ? 'invalid-input' : 'unavailable',
          `${outcome.kind}: ${outcome.answer}`,
        );
      const refused: string[] = [];
      for (const to of bcc) {
        const copy = await relays.send({ ...job, envelope: { from: copyFrom, to } });
        if (copy.kind !== 'sent') refused.push(`; copy to ${to}: ${copy.answer}`);
      }
      return { id, answer: outcome.answer + refused.join('') };
    }),
    close: () => relays.close(),
  };
}

/** Keeps the program alive while its mail waits for an unavailable relay. */
function awake<Given, Result>(work: (given: Given) => Promise<Result>): (given: Given) => Promise<Result> {
  return async (given) => {
    const timer = setInterval(() => {}, 60_000);
    try {
      return await work(given);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Hands mails to the local sendmail program. */
export function sendmailSender(options: { program?: string; store: MailStore; mail?: object }): MailSender {
  const { program = '/usr/sbin/sendmail' } = options;
  const compose = directComposer(options.store, mailSettings.parse({ ...options.mail }));
  return {
    async send(mail) {
      const { id, composed } = await compose(checkAlone(mail));
      const { envelope, bcc, message } = composed;
      // `--` keeps an address that begins with a dash from being read as an option.
      const child = spawn(program, ['-i', '-f', envelope.from, '--', envelope.to, ...bcc], {
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      child.stdin.on('error', () => {});
      // Local programs expect the line ends of their system.
      child.stdin.end(message.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
      const [code, said] = await Promise.all([ended, text(child.stderr)]).catch((error) => {
        throw new PismakError('unavailable', `${program} can't be run: ${error.message}`);
      });
      if (code !== 0) throw new PismakError('unavailable', `${program} ended with ${code}: ${said.trim()}`);
      return { id };
    },
    async close() {},
  };
}

/** Puts whole mails into the queue of their class; the mail server's senders take them from there. */
export function queueSender(options: {
  broker: Broker;
  store: MailStore;
  owner?: string;
  mail?: object;
}): MailSender {
  const { broker, store, owner = 'local' } = options;
  const classes = classesOf(mailSettings.parse({ ...options.mail }));
  const queued = queueTogether(broker, owner, (className) => classes.get(className)?.inFlight || undefined);
  return {
    async send(input) {
      const fields = checkAlone(input);
      const type = await store.type(fields.type);
      checkDesign(type, fields.design);
      const mailClass = classes.get(type.class);
      const createdAt = systemClock.now();
      const id = newId(systemClock);
      const notAfter = createdAt + (type.ttlMs ?? mailClass?.ttlMs ?? 86_400_000);
      const lane = type.priority ?? mailClass?.lane ?? 'normal';
      const text = JSON.stringify({ id, owner, createdAt, notAfter, fields });
      await queued({ id, className: type.class, lane, text });
      return { id };
    },
    close: () => broker.close(),
  };
}

/** Opens a queue by URL: postgres:// or amqp://, or sqlite:FILE while no mail server uses the file. */
export async function openQueueSender(options: {
  url: string;
  store: MailStore;
  owner?: string;
  mail?: object;
}): Promise<MailSender> {
  const { openBroker } = await import('../../engine/broker/open.ts');
  const file = options.url.startsWith('sqlite:') ? options.url.slice('sqlite:'.length) : '';
  return queueSender({ ...options, broker: await openBroker(options.url, { file, clock: systemClock }) });
}

/** Checks mails that have no row: without one, nobody knows which mail is the last to need a file. */
export function checkAlone(mail: MailInput | MailFields): MailFields {
  const fields = checkMail(mail);
  const deleted = fields.attachments?.find(({ deleteAfterSend }) => deleteAfterSend);
  if (!deleted) return fields;
  throw new PismakError(
    'invalid-input',
    `attachment ${deleted.name}: deleteAfterSend works only through a mail server; use httpSender`,
  );
}

/** Composes mails without a mail server: no links to online versions, attachments by path only. */
function directComposer(store: MailStore, settings: ReturnType<typeof mailSettings.parse>) {
  const templates = new Map<string, ReturnType<typeof compileTemplate>>();
  let skeleton: ReturnType<typeof buildSkeleton> | undefined;
  const composer = new Composer({
    settings,
    tokens: tokensOf(Buffer.alloc(32)),
    publicUrl: () => '',
    types: {
      type: (code) => store.type(code),
      template(type, language) {
        const key = `${type.code}/${type.version}/${language}`;
        const compiled = templates.get(key) ?? compileTemplate(type, language);
        templates.set(key, compiled);
        // Nobody else shares this program.
        return compiled.then((template) => ({
          render: (data, subject) => template.render(data, subject),
          encode: (data, subject) => template.encode(data, subject),
        }));
      },
      bareSkeleton() {
        skeleton ??= buildSkeleton([]);
        return skeleton;
      },
    },
    prepare: async (name) => {
      throw new PismakError(
        'invalid-input',
        `prepare ${name} runs on the mail server; send this mail through it`,
      );
    },
    loadAttachment: async ({ name, path }) => {
      if (path === undefined) throw new PismakError('invalid-input', `attachment ${name} needs a path`);
      return readAttachment(settings, name, await realpath(path).catch(() => path));
    },
  });
  return async (mail: MailFields) => {
    const type = await store.type(mail.type);
    const id = newId(systemClock);
    const composed = await composer.compose({
      id,
      type: mail.type,
      version: type.version,
      class: type.class,
      fields: JSON.stringify(mail),
      language: mail.language ?? type.language,
      createdAt: systemClock.now(),
    });
    return { id, composed, className: type.class };
  };
}
