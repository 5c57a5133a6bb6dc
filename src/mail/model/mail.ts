import { z } from 'zod';
import { messageOf, PismakError } from '../../engine/errors.ts';
import { contact } from './address.ts';
import { attachment, checkSource } from './attachment.ts';
import { headerText, language, typeCode } from './mail-type.ts';

/** The life of a mail. `held` waits for a person after `unknown`; the last six are final. */
export const mailStates = [
  'waiting',
  'sending',
  'deferred',
  'unknown',
  'sent',
  'failed',
  'bounced',
  'expired',
  'suppressed',
  'cancelled',
] as const;
export type MailState = (typeof mailStates)[number];

export const longestDataBytes = 256 * 1024;

/** What an application says about one mail. Fields beyond these are its own and are kept. */
export const mailFields = z.looseObject({
  type: typeCode,
  to: contact,
  sender: contact.optional(),
  subject: headerText.optional(),
  bcc: z.array(contact).max(20).optional(),
  attachments: z.array(attachment).max(50).optional(),
  data: z.record(z.string(), z.unknown()).default({}),
  language: language.optional(),
  /** Which design of the type: usually the domain of the shop. */
  design: z.string().max(253).optional(),
});

export type MailFields = z.output<typeof mailFields>;
export type MailInput = z.input<typeof mailFields>;

/** Whether files of its own must be deleted once it is sent. */
export function deletesFiles({ attachments = [] }: Pick<MailFields, 'attachments'>): boolean {
  return attachments.some(({ deleteAfterSend }) => deleteAfterSend);
}

/** Checks the fields of a mail. A mail without recipient can't be built. */
export function checkMail(input: unknown): MailFields {
  const checked = mailFields.safeParse(input);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue?.path.join('.') ?? '';
    const missing = where === 'to' && ((input as { to?: unknown } | null)?.to ?? '') === '';
    throw new PismakError(
      'invalid-input',
      missing ? 'a mail needs a recipient: give it `to`' : `${where || 'the mail'}: ${issue?.message}`,
    );
  }
  for (const one of checked.data.attachments ?? []) checkSource(one);
  const bytes = jsonBytes('data', checked.data.data);
  if (bytes > longestDataBytes)
    throw new PismakError(
      'too-large',
      `the data of a mail has ${bytes} bytes; the limit is ${longestDataBytes}`,
    );
  // What Pismak adds itself, such as prepared data, is nobody else's to set.
  for (const name of Object.keys(checked.data))
    if (name.startsWith('pismak:')) delete checked.data[name];
    else if (!Object.hasOwn(mailFields.shape, name)) jsonBytes(name, checked.data[name]);
  return checked.data;
}

/** The size of a value as JSON. Fails with `invalid-input` if it can't be JSON: circles, BigInts, endless nesting. */
function jsonBytes(name: string, value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    const why = error instanceof RangeError ? 'it is nested too deeply' : reason;
    throw new PismakError('invalid-input', `${name}: it can't be written as JSON: ${why}`, { cause: error });
  }
}

/** A mail as a line of JSON, the way back of `JSON.stringify(mail)`. */
export function mailFromJson(text: string): MailFields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `the mail is not JSON: ${(error as Error).message}`);
  }
  return checkMail(parsed);
}
