import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { type DkimKey, readDkimKey } from '../mime/dkim.ts';
import type { MailSettings } from '../settings/settings.ts';

/** The key that signs mails, or undefined if mails are not signed. */
export async function readKey({
  dkimDomain,
  dkimSelector,
  dkimKeyFile,
}: MailSettings): Promise<DkimKey | undefined> {
  if (dkimDomain === '') return undefined;
  if (dkimKeyFile === '')
    throw new PismakError('configuration-invalid', 'mail.dkimDomain needs a key: set mail.dkimKeyFile');
  const pem = await readFile(dkimKeyFile, 'utf8').catch((error: unknown) => {
    throw new PismakError(
      'configuration-invalid',
      `the DKIM key ${dkimKeyFile} (mail.dkimKeyFile) can't be read: ${reasonOf(error)}`,
      { cause: error },
    );
  });
  return readDkimKey(dkimDomain, dkimSelector, pem);
}
