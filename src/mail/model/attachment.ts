import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';

const fileName = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (name) => !/[\p{Cc}\p{Cs}/\\]/u.test(name),
    'must be a plain file name without slashes, line breaks and control characters',
  );

/** A file in the mail: from the disk of the mail server or from an upload. */
export const attachment = z.strictObject({
  name: fileName.describe('Name of the file in the mail'),
  type: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type like application/pdf')
    .optional()
    .describe('Media type; that of the name by default'),
  path: z
    .string()
    .max(4096)
    .optional()
    .describe('File of the mail server, absolute or relative to mail.attachmentDirectory'),
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an upload')
    .optional()
    .describe('SHA-256 of an upload'),
  inline: z.boolean().optional().describe('Shown in the HTML as cid:NAME'),
  deleteAfterSend: z
    .boolean()
    .optional()
    .describe('Delete the file once a relay has taken the last mail that names it; only with `path`'),
});

export type Attachment = z.output<typeof attachment>;

/** Not in the schema, because stored types and mails must stay readable. */
export function checkSource({ name, path, blob, deleteAfterSend, inline }: Attachment): void {
  if (path === undefined && blob === undefined)
    throw new PismakError('invalid-input', `attachment ${name} needs a path or a blob`);
  if (path !== undefined && blob !== undefined)
    throw new PismakError('invalid-input', `attachment ${name} has a path and a blob; name one of them`);
  // Other characters are invalid in a Content-ID, and mail programs disagree about their encoding.
  if (inline && !/^[\w.+-]+$/.test(name))
    throw new PismakError(
      'invalid-input',
      `attachment ${name}: the name of an inline file may contain only the letters a to z, digits, dots, dashes, plus signs and underscores`,
    );
  if (deleteAfterSend && path === undefined)
    throw new PismakError('invalid-input', `attachment ${name}: deleteAfterSend is for files by path`);
}

/** Attachments of a type are in every mail, so they are never deleted after sending. */
export const typeAttachment = attachment.omit({ deleteAfterSend: true });
