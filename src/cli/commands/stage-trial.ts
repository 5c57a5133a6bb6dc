import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import type { stageTry } from '../../engine/operation/operations/stage-try.ts';
import { sizeOfFile, uploadFile } from '../../terminal/client/upload-file.ts';
import type { Session } from '../../terminal/session.ts';
import { readDefinition } from './stage-options.ts';

type TrialSession = Session<Record<string, unknown>>;

/** Uploads the files of the request, and those of the stage. */
export async function readTrial(session: TrialSession) {
  const { input: paths } = session.options as { input: string[] };
  for (const path of paths) await sizeOfFile(path);
  const { clock, signal } = session;
  const client = await session.client();
  const input: { name: string; hash: string }[] = [];
  for (const path of paths) {
    const { hash } = await uploadFile(client, path, { clock, signal });
    input.push({ name: basename(path), hash });
  }
  return { input, ...(await readDefinition(session)) };
}

/** Saves the files that came out, if the user names a directory, and fails if a stage failed. */
export async function saveTrial(
  { steps, files }: z.output<(typeof stageTry)['output']>,
  { options, out }: TrialSession,
): Promise<void> {
  const { output } = options as { output?: string };
  for (const { name, size, content } of files) {
    if (output === undefined || content === null) {
      out.say(`${name}: ${size} bytes${content === null ? ', too large to be shown' : ''}`);
      continue;
    }
    await mkdir(output, { recursive: true });
    // `basename`: names come from a processor.
    const path = join(output, basename(name));
    await writeFile(path, Buffer.from(content, 'base64'));
    out.say(path);
  }
  const failed = steps.find(({ ok }) => !ok);
  if (failed) throw new PismakError('processor-failed', `stage ${failed.stage} failed: ${failed.reason}`);
}
