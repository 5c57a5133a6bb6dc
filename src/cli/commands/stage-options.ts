import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { PismakError } from '../../engine/errors.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import type { Client } from '../../terminal/client/client.ts';
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
    .option('--file <file>', 'a file for the processor, e.g. a model; may be repeated', collect)
    .option('--attempts <number>', 'tries before a request fails for good', wholeNumber)
    .option('--first-delay-ms <ms>', 'pause before the second try', wholeNumber);
}

/** The values of those options. Uploads the files first. */
export async function readDefinition(session: Session<Record<string, unknown>>) {
  const { file, attempts, firstDelayMs } = session.options as {
    file?: string[];
    attempts?: number;
    firstDelayMs?: number;
  };
  const client = await session.client();
  const files = file && (await Promise.all(file.map((path) => uploaded(client, path))));
  const retry = {
    ...(attempts !== undefined && { attempts }),
    ...(firstDelayMs !== undefined && { firstDelayMs }),
  };
  return { ...(files && { files }), ...(Object.keys(retry).length > 0 && { retry }) };
}

async function uploaded(client: Client, path: string): Promise<{ name: string; hash: string; size: number }> {
  try {
    return { name: basename(path), ...(await client.upload(createReadStream(path))) };
  } catch (error) {
    if (error instanceof PismakError) throw error;
    throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`, { cause: error });
  }
}
