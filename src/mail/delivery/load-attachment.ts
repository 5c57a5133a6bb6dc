import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../../engine/engine.ts';
import { messageOf, PismakError } from '../../engine/errors.ts';
import type { Attachment } from '../model/attachment.ts';
import type { MailSettings } from '../settings.ts';

/** Reads an attachment from the allowed directory or from the blobs. Its size is known before it is read. */
export async function loadAttachment(
  { blobs }: Pick<Engine, 'blobs'>,
  settings: MailSettings,
  { name, path, blob }: Attachment,
): Promise<Buffer> {
  const limit = settings.attachmentsMb * 1024 * 1024;
  const checkSize = (size: number) => {
    if (size > limit)
      throw new PismakError(
        'too-large',
        `attachment ${name} has ${size} bytes; the limit is ${limit} (setting mail.attachmentsMb)`,
      );
  };
  if (blob !== undefined) {
    checkSize(await blobs.size(blob));
    return Buffer.from(await readBlob(blobs, blob));
  }
  if (path === undefined)
    throw new PismakError('invalid-input', `attachment ${name} has neither path nor blob`);
  const allowed = await allowedPath(settings, path);
  try {
    const file = await open(allowed, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      checkSize((await file.stat()).size);
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

/** The real path, if it lies in the directory that the administrator opened for attachments. */
export async function allowedPath({ attachmentDirectory }: MailSettings, path: string): Promise<string> {
  if (attachmentDirectory === '')
    throw new PismakError(
      'forbidden',
      'files can be attached by path only if mail.attachmentDirectory names their directory',
    );
  const directory = await realpath(attachmentDirectory);
  const real = await realpath(path).catch(() => {
    throw new PismakError('invalid-input', `there is no file ${path} to attach`);
  });
  if (!real.startsWith(directory + sep))
    throw new PismakError('forbidden', `${path} is outside mail.attachmentDirectory`);
  return real;
}
