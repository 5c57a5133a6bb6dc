import { basename } from 'node:path';
import { PismakError } from '../../engine/ground/errors.ts';
import { sizeOfFile, uploadFile } from '../../terminal/client/upload-file.ts';
import type { Session } from '../../terminal/session.ts';

const mostFiles = 50;

/** Uploads the files of `--attach`, all or none: a mistyped name costs no upload. */
export async function attachFiles(
  session: Session,
  paths: readonly string[],
): Promise<{ name: string; blob: string }[]> {
  if (paths.length > mostFiles)
    throw new PismakError(
      'invalid-input',
      `a mail has at most ${mostFiles} attachments, not ${paths.length}`,
    );
  await Promise.all(paths.map(sizeOfFile));
  const client = await session.client();
  return Promise.all(
    paths.map(async (path) => ({
      name: basename(path),
      blob: (await uploadFile(client, path, session)).hash,
    })),
  );
}
