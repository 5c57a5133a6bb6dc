import { basename } from 'node:path';
import type { Command } from 'commander';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { stageShow } from '../../engine/operation/operations/stage.ts';
import type { StageDefinition } from '../../engine/stage/stage.ts';
import type { Client } from '../../terminal/client/client.ts';
import { hashFile, sizeOfFile, uploadFile } from '../../terminal/client/upload-file.ts';
import { collect } from '../../terminal/command-group.ts';
import { textOrFile, wholeNumber } from '../../terminal/options/option-values.ts';
import type { Session } from '../../terminal/session.ts';

/** Options for the parts of a stage's definition that are not plain values. */
export const definitionFields = {
  config: {
    flags: '--stage-config <text>',
    about: 'configuration of the processor; @FILE reads it from a file',
    read: textOrFile,
  },
  files: false,
  retry: false,
} as const;

export function addDefinitionOptions(command: Command): void {
  command
    .option(
      '--file <file>',
      'a file for the processor, e.g. a model; may be repeated. Only changed files are sent',
      collect,
    )
    .option('--attempts <number>', 'tries before a request fails for good', wholeNumber)
    .option('--first-delay-ms <ms>', 'pause before the second try', wholeNumber);
}

type Files = StageDefinition['files'];

/** The values of those options for a new stage. Uploads the files first. */
export function readDefinition(session: Session<Record<string, unknown>>) {
  return readOptions(session, async () => []);
}

/** The same for a stage that exists: files that it has already are not sent again. */
export function readChange(session: Session<Record<string, unknown>>, { name }: { name: string }) {
  return readOptions(session, async (client) => (await client.call(stageShow, { name })).files);
}

async function readOptions(
  session: Session<Record<string, unknown>>,
  filesBefore: (client: Client) => Promise<Files>,
) {
  const { file, attempts, firstDelayMs } = session.options as {
    file?: string[];
    attempts?: number;
    firstDelayMs?: number;
  };
  const files = file && (await uploadFiles(session, file, filesBefore));
  const retry = {
    ...(attempts !== undefined && { attempts }),
    ...(firstDelayMs !== undefined && { firstDelayMs }),
  };
  return { ...(files && { files }), ...(Object.keys(retry).length > 0 && { retry }) };
}

/** One after another: each large file holds a part of itself in memory. */
async function uploadFiles(
  session: Session<Record<string, unknown>>,
  paths: readonly string[],
  filesBefore: (client: Client) => Promise<Files>,
): Promise<Files> {
  for (const path of paths) await sizeOfFile(path);
  const { clock, signal } = session;
  const client = await session.client();
  const before = new Map((await filesBefore(client)).map((file) => [file.hash, file]));
  const files: Files = [];
  for (const path of paths) {
    const hash = await hashFile(path).catch((error: unknown) => {
      throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`, { cause: error });
    });
    const stored = before.get(hash) ?? (await uploadFile(client, path, { clock, signal, hash }));
    files.push({ name: basename(path), hash: stored.hash, size: stored.size });
  }
  return files;
}
