import { z } from 'zod';
import { messageOf } from '../../engine/ground/errors.ts';
import { contact } from '../model/address.ts';
import { parseHours } from '../model/sending-hours.ts';

const relay = z.strictObject({
  /** What `relays` of a class calls it; host:port by default. */
  name: z.string().max(100).optional(),
  url: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .describe('smtp://user:password@host:port or smtps://host'),
  weight: z.number().positive().default(1),
  connections: z.int().min(1).max(500).default(10),
  /** Mails per second; 0 = no limit. */
  perSecond: z.number().min(0).default(0),
  /** Mails per second to one destination domain; 0 = no limit. */
  perSecondAndDomain: z.number().min(0).default(0),
  /** Classes it carries; empty = all. */
  classes: z.array(z.string()).default([]),
});
export type RelaySettings = z.output<typeof relay>;

const provider = z.strictObject({
  domains: z.array(z.string().min(1).max(253)).min(1).max(1000),
  /** Mails per second through each relay; 0 = no limit. */
  perSecond: z.number().min(0).default(0),
  /** Mails under way at once through each relay; 0 = no limit. */
  connections: z.int().min(0).default(0),
});

const sendingHours = z.string().superRefine((text, context) => {
  try {
    parseHours(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
});

/** No defaults here: omitted fields of `[mail.classes.NAME]` are taken from the built-in class. */
const mailClass = z.strictObject({
  lane: z.enum(['high', 'normal']),
  ttlMs: z.int().positive(),
  /** What to do with a mail that a relay may have taken. */
  onUnknown: z.enum(['hold', 'resend']),
  /** Mails carry one-click unsubscription, and unsubscribed addresses get none. */
  unsubscribe: z.boolean(),
  /** Mails with a later date go to relays that hold them until then (FUTURERELEASE); they can't be cancelled there. */
  holdAtRelay: z.boolean(),
  /** Names of the relays that carry the class; empty = all that accept it. */
  relays: z.array(z.string()),
  /** Most mails with relays whose answers are not stored yet: a kill can send these twice. 0 = depends on the connections. */
  inFlight: z.int().min(0).max(10_000),
  /** Sending hours, e.g. "mon-fri 08:00-18:00"; empty = at all times. */
  hours: z.array(sendingHours).max(50),
});
export type MailClass = z.output<typeof mailClass>;

const hour = 3_600_000;
const anyTime = { relays: [], hours: [], holdAtRelay: false, inFlight: 0 };

/** Built-in classes; `[mail.classes.NAME]` changes them or adds others. */
const usualClasses: Record<string, MailClass> = {
  transactional: { ...anyTime, lane: 'high', ttlMs: 4 * hour, onUnknown: 'resend', unsubscribe: false },
  bulk: { ...anyTime, lane: 'normal', ttlMs: 3 * 24 * hour, onUnknown: 'hold', unsubscribe: true },
};

const audience = z.strictObject({
  /** A PostgreSQL, MySQL or MariaDB server (use a read-only account), or sqlite:FILE. */
  url: z
    .string()
    .regex(
      /^((postgres(ql)?|mysql|mariadb):\/\/|sqlite:.)/,
      'must begin with postgres://, mysql://, mariadb:// or sqlite:',
    ),
  query: z.string().min(1).max(10_000),
});

/** A relay may be given by its URL alone: `--set mail.relays=smtp://127.0.0.1:2525`. */
const relays = z
  .array(z.preprocess((given) => (typeof given === 'string' ? { url: given } : given), relay))
  .meta({ allowed: 'a list of URLs that begin with smtp:// or smtps://, or of tables with a `url`' });

/** An address that is extended by the id of a mail and a signature, 54 characters; 64 are allowed before the @. */
const taggedAddress = z
  .string()
  .regex(/^$|^[^@\s]{1,9}@[^@\s]+$/, 'must be an address with at most 9 characters before the @');

/** `[mail]` in pismak.toml. */
export const mailSettings = z.strictObject({
  relays: relays
    .default([])
    .describe(
      'Mail servers that mails are sent through: [[mail.relays]] with url, name, weight, connections, perSecond, perSecondAndDomain, classes',
    ),
  classes: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,30}$/), mailClass.partial())
    .default({})
    .describe(
      'Classes of mails besides `transactional` and `bulk`, or changes of these: lane, ttlMs, onUnknown, unsubscribe, relays, hours, holdAtRelay, inFlight',
    )
    .meta({ allowed: 'tables [mail.classes.NAME]' }),
  providers: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,60}$/), provider)
    .default({})
    .describe(
      'Limits for providers of mailboxes, at each relay: [mail.providers.NAME] with domains, perSecond, connections',
    )
    .meta({ allowed: 'tables [mail.providers.NAME]' }),
  audiences: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,60}$/), audience)
    .default({})
    .describe(
      'Queries that campaigns can have as audience: [mail.audiences.NAME] with url (postgres://, mysql://, mariadb:// or sqlite:FILE) and query; one column is `email`',
    )
    .meta({ allowed: 'tables [mail.audiences.NAME]' }),
  prepare: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,59}$/), z.string().min(1))
    .default({})
    .describe(
      'Modules that complete the data of mails before they are rendered: name = "path"; a type names one',
    )
    .meta({ allowed: 'a table [mail.prepare] of names and paths' }),
  timeZone: z
    .string()
    .refine(isTimeZone, 'must be a time zone like Europe/Prague')
    .default('')
    .describe('Time zone of `hours`, e.g. Europe/Prague; empty = that of the machine'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9.-]*$/)
    .default('')
    .describe('Our name in EHLO; empty = the name of the machine'),
  bounceAddress: taggedAddress
    .default('')
    .describe(
      'Where bounces go: bounce@example.org makes bounce+ID@example.org for each mail. Empty = to the sender',
    ),
  unsubscribeAddress: taggedAddress
    .default('')
    .describe(
      'Where mails that unsubscribe go: leave@example.org makes leave+ID@example.org for each bulk mail. Empty = links only',
    ),
  dkimDomain: z
    .string()
    .default('')
    .describe('Domain that DKIM signatures are made for; empty = mails are not signed'),
  dkimSelector: z.string().default('pismak').describe('Selector of the DKIM key in the DNS'),
  dkimKeyFile: z
    .string()
    .default('')
    .describe('File with the private key for DKIM, RSA or Ed25519, as PEM')
    .meta({ isPath: true }),
  alertsTo: z
    .array(z.email())
    .max(20)
    .default([])
    .describe('Addresses that get a mail for each alert that is raised or ends; empty = none'),
  alertsFrom: z
    .string()
    .refine(
      (text) => text === '' || contact.safeParse(text).success,
      'must be a mail address, or Name <address>',
    )
    .default('')
    .describe('Sender of mails about alerts; empty = pismak@ the domain of the first address'),
  alertsPerHour: z.int().min(1).default(30).describe('Limit on mails about alerts per hour and address'),
  attempts: z.int().min(1).max(100).default(12).describe('Maximum number of attempts for a deferred mail'),
  retryMs: z
    .int()
    .min(10)
    .default(60_000)
    .describe('Time before the second attempt; it doubles each time, up to 4 hours'),
  mailsPerMonth: z
    .int()
    .min(0)
    .default(0)
    .describe('Limit on mails of one user per month; 0 = no limit. Administrators have none'),
  mbPerDay: z
    .number()
    .min(0)
    .default(2048)
    .describe(
      'Limit on the MB of one user’s mails per day (UTC), with their data and attachments; 0 = no limit. Administrators have none',
    ),
  attachmentsMb: z
    .number()
    .positive()
    .default(25)
    .describe('Maximum total size of the attachments of a mail'),
  attachmentDirectory: z
    .string()
    .default('')
    .describe('Directory whose files may be attached by path; empty = none')
    .meta({ isPath: true }),
  keepDays: z.number().min(0).default(400).describe('How long finished mails are kept; 0 = for ever'),
});
export type MailSettings = z.output<typeof mailSettings>;

export const mailSection = { name: 'mail', settings: mailSettings } as const;

/** The classes of this installation. */
export function classesOf(settings: MailSettings): Map<string, MailClass> {
  const names = new Set([...Object.keys(usualClasses), ...Object.keys(settings.classes)]);
  return new Map(
    [...names].map((name) => {
      const usual = usualClasses[name] ?? usualClasses.bulk;
      return [name, mailClass.parse({ ...usual, ...settings.classes[name] })];
    }),
  );
}

/** Each class has its own queue, so classes never wait for each other. */
export function queueOf(className: string): string {
  return `${queuePrefix}${className}`;
}

export function classOfQueue(queue: string): string {
  return queue.slice(queuePrefix.length);
}

const queuePrefix = 'mail.';

function isTimeZone(name: string): boolean {
  try {
    return name === '' || new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
