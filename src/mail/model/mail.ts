import { z } from 'zod';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { contact } from './address.ts';
import { attachment, checkSource } from './attachment.ts';
import { headerText, language, typeCode } from './mail-type.ts';

/** The states of a mail. `unknown` (a relay may have taken it) waits for a person; the states after it are final. */
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

/** The fields of a mail. Others belong to the application and are kept. */
export const mailFields = z.looseObject({
  type: typeCode,
  to: contact,
  sender: contact.optional(),
  subject: headerText.optional(),
  bcc: z.array(contact).max(20).optional(),
  attachments: z.array(attachment).max(50).optional(),
  data: z.record(z.string(), z.unknown()).default({}),
  language: language.optional(),
  /** Design of the type, usually the domain of the shop. */
  design: z.string().max(253).optional(),
});

export type MailFields = z.output<typeof mailFields>;
export type MailInput = z.input<typeof mailFields>;

/** Whether files of the mail must be deleted once it is sent. */
export function deletesFiles({ attachments = [] }: Pick<MailFields, 'attachments'>): boolean {
  return attachments.some(({ deleteAfterSend }) => deleteAfterSend);
}

/** Checks the fields of a mail. */
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
  // Only Pismak may set its own fields, such as prepared data.
  for (const name of Object.keys(checked.data))
    if (name.startsWith('pismak:')) delete checked.data[name];
    else if (!Object.hasOwn(mailFields.shape, name)) jsonBytes(name, checked.data[name]);
  return checked.data;
}

/** The size of a value as JSON. Fails with `invalid-input` on cycles, BigInts and deep nesting. */
function jsonBytes(name: string, value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    const why = error instanceof RangeError ? 'it is nested too deeply' : reason;
    throw new PismakError('invalid-input', `${name}: it can't be written as JSON: ${why}`, { cause: error });
  }
}

/** Reads a mail written by `JSON.stringify(mail)`. */
export function mailFromJson(text: string): MailFields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `the mail is not JSON: ${(error as Error).message}`);
  }
  return checkMail(parsed);
}
