import { z } from 'zod';

const fileName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !/[\r\n\0/\\]/.test(name), 'must be a plain file name without slashes or line breaks');

/** A file in the mail: from the disk of the mail server, or bytes that Pismak keeps. */
export const attachment = z.strictObject({
  name: fileName,
  type: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type like application/pdf')
    .optional(),
  path: z.string().max(4096).optional(),
  /** SHA-256 of an upload. */
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** Shown inside the HTML as cid:NAME. */
  inline: z.boolean().optional(),
  /** Delete the file once the last mail that names it has been accepted by a relay. Only for `path`. */
  deleteAfterSend: z.boolean().optional(),
});

export type Attachment = z.output<typeof attachment>;

/** Of a type, an attachment is in every mail, so none of them is the last to need it. */
export const typeAttachment = attachment.omit({ deleteAfterSend: true });
