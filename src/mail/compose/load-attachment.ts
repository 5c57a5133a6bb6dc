import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { type Attachment, checkSource } from '../model/attachment.ts';
import type { MailSettings } from '../settings/settings.ts';

type AttachmentStore = Pick<Engine, 'blobs'>;

/** Reads an attachment from the allowed directory or from the blobs. Its size is known before it is read. */
export async function loadAttachment(
  parts: AttachmentStore,
  settings: MailSettings,
  attachment: Attachment,
): Promise<Buffer> {
  const { name, path = '', blob } = attachment;
  checkSource(attachment);
  if (blob !== undefined) {
    checkSize(settings, name, await parts.blobs.size(blob));
    return Buffer.from(await readBlob(parts.blobs, blob));
  }
  return readAttachment(settings, name, await allowedPath(settings, path));
}

/** Reads a file that may be attached. */
export async function readAttachment(settings: MailSettings, name: string, path: string): Promise<Buffer> {
  checkSize(settings, name, await fileSize(name, path));
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      checkSize(settings, name, (await file.stat()).size);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof PismakError) throw error;
    throw new PismakError('invalid-input', `attachment ${name} can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Refuses attachments that are missing, forbidden or too large together, before anything is stored. `ofType` are the type's own
 * attachments. If one of those is missing, the mail is accepted: it can be resent once an administrator has fixed the type. Returns
 * the bytes of `own`.
 */
export async function checkAttachments(
  parts: AttachmentStore,
  settings: MailSettings,
  own: readonly Attachment[],
  ofType: readonly Attachment[] = [],
): Promise<number> {
  if (own.length === 0) return 0;
  const limit = limitOf(settings);
  let sum = 0;
  let sumOfOwn = 0;
  for (const attachment of ofType) sum += await attachmentSize(parts, settings, attachment).catch(() => 0);
  for (const attachment of own) {
    const size = await attachmentSize(parts, settings, attachment);
    checkSize(settings, attachment.name, size);
    sum += size;
    sumOfOwn += size;
    if (sum > limit) throw tooLargeTogether(settings, attachment.name);
  }
  return sumOfOwn;
}

export function tooLargeTogether({ attachmentsMb }: MailSettings, last: string): PismakError {
  return new PismakError(
    'too-large',
    `the attachments exceed ${attachmentsMb} MB with ${last} (setting mail.attachmentsMb)`,
  );
}

/** Limit in bytes. */
export function limitOf({ attachmentsMb }: MailSettings): number {
  return attachmentsMb * 1024 * 1024;
}

async function attachmentSize(
  parts: AttachmentStore,
  settings: MailSettings,
  attachment: Attachment,
): Promise<number> {
  const { name, path = '', blob } = attachment;
  checkSource(attachment);
  return blob === undefined ? fileSize(name, await allowedPath(settings, path)) : parts.blobs.size(blob);
}

async function fileSize(name: string, path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw new PismakError('invalid-input', `attachment ${name}: ${path} can't be read: ${reasonOf(error)}`, {
      cause: error,
    });
  });
  // Reading a pipe or a device might never end.
  if (!found.isFile()) throw new PismakError('invalid-input', `attachment ${name} is not a file`);
  return found.size;
}

function checkSize(settings: MailSettings, name: string, size: number): void {
  const limit = limitOf(settings);
  if (size <= limit) return;
  throw new PismakError(
    'too-large',
    `attachment ${name} has ${size} bytes; the limit is ${limit} (setting mail.attachmentsMb)`,
  );
}

/** The real path of a file, given absolute or relative to mail.attachmentDirectory. It must be inside that directory. */
export async function allowedPath({ attachmentDirectory }: MailSettings, path: string): Promise<string> {
  if (attachmentDirectory === '')
    throw new PismakError(
      'forbidden',
      'files can be attached by path only if mail.attachmentDirectory names their directory',
    );
  const directory = await realpath(attachmentDirectory).catch((error: unknown) => {
    throw new PismakError(
      'configuration-invalid',
      `${attachmentDirectory} (setting mail.attachmentDirectory) can't be read: ${reasonOf(error)}`,
      { cause: error },
    );
  });
  const outside = () => new PismakError('forbidden', `${path} is outside mail.attachmentDirectory`);
  const isInside = (file: string, of: string) => file === of || file.startsWith(of + sep);
  const named = resolve(attachmentDirectory, path);
  // Check the name before touching the disk, so that answers reveal nothing about files elsewhere.
  if (!isInside(named, resolve(attachmentDirectory)) && !isInside(named, directory)) throw outside();
  const real = await realpath(named).catch(() => {
    throw new PismakError('invalid-input', `there is no file ${path} to attach`);
  });
  if (!isInside(real, directory)) throw outside();
  return real;
}
