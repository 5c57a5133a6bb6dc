import { z } from 'zod';
import { contact } from './address.ts';
import { typeAttachment } from './attachment.ts';

/** Header text: a single line. */
export const headerText = z
  .string()
  .max(900)
  .refine((text) => !/[\r\n\0]/.test(text), 'must be one line: CR, LF and NUL are not allowed');

export const language = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag like cs or en-GB');

export const typeCode = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower case letters, digits, dots, dashes: at most 64');

/** Defaults for all mails of one kind, e.g. order confirmations: their looks, class and lane. */
export const mailType = z.looseObject({
  code: typeCode,
  name: z.string().max(200).default(''),
  sender: contact,
  /** A Liquid template. */
  subject: headerText,
  /** MJML or HTML with Liquid in it. */
  template: z.string().max(512 * 1024),
  /** The text part; derived from the template by default. */
  text: z
    .string()
    .max(512 * 1024)
    .optional(),
  class: z.string().default('transactional'),
  /** Overrides the class's time to live. */
  ttlMs: z.int().positive().optional(),
  /** Overrides the class's lane. */
  priority: z.enum(['high', 'normal']).optional(),
  bcc: z.array(contact).max(20).default([]),
  attachments: z.array(typeAttachment).max(50).default([]),
  charset: z.literal('utf-8').default('utf-8'),
  language: language.default('en'),
  /** Translations of strings in the template per language, for `{{ 'Hello' | t }}`. */
  translations: z
    .record(language, z.record(z.string(), z.union([z.string(), z.array(z.string())])))
    .default({}),
  /** A module of the settings (`[mail.prepare]`) that completes the data of each mail before it is rendered. */
  prepare: z.string().max(60).optional(),
  /** Values for the template per domain: logo, colours. */
  designs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** Other fields belong to the user and are kept. */
export type MailType = z.output<typeof mailType>;
export type MailTypeInput = z.input<typeof mailType>;

/** The type of mails about alerts. Administrators may change it like any other. */
export const alertType = 'pismak-alert';
