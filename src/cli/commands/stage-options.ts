import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { PismakError } from '../../engine/errors.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import type { Client } from '../../terminal/client/client.ts';
import { collect } from '../../terminal/command-group.ts';
import { anyNumber, commaList, textOrFile, wholeNumber } from '../../terminal/options/option-values.ts';

/** The parts of a stage's definition that the command line can say. */
export interface DefinitionOptions {
  processor?: string;
  stageConfig?: string;
  file?: string[];
  mode?: string;
  priority?: number;
  labels?: string[];
  concurrency?: number;
  attempts?: number;
  firstDelayMs?: number;
  timeoutMs?: number;
  memoryMb?: number;
  maxLength?: number | 'none';
}

export function addDefinitionOptions(command: Command): Command {
  return command
    .option('--stage-config <text>', 'what the processor is told; @FILE reads it from a file', textOrFile)
    .option('--file <file>', 'a file for the processor, e.g. a model; may be repeated', collect)
    .option('--mode <mode>', 'exclusive (planned by the watchdog) or shared (served by every worker)')
    .option('--priority <number>', '-1 = never planned, 0 = as computed, more = more workers', anyNumber)
    .option('--labels <a,b>', 'only workers that have all of these may serve it', commaList)
    .option('--concurrency <number>', 'messages that one worker processes at once', wholeNumber)
    .option('--attempts <number>', 'tries before a request fails for good', wholeNumber)
    .option('--first-delay-ms <ms>', 'pause before the second try', wholeNumber)
    .option('--timeout-ms <ms>', 'longest time for one request', wholeNumber)
    .option('--memory-mb <mb>', 'a processor that outgrows it is restarted', wholeNumber)
    .option('--max-length <number>', 'most messages that may wait; "none" = no bound', lengthOrNone);
}

/** The definition's fields as operations take them; files are uploaded first. */
export async function readDefinition(
  options: DefinitionOptions,
  client: Client,
): Promise<Record<string, unknown>> {
  const { stageConfig, file, attempts, firstDelayMs, mode, processor } = options;
  const { priority, labels, concurrency, timeoutMs, memoryMb, maxLength } = options;
  const retry = withoutUndefined({ attempts, firstDelayMs });
  const files = file && (await Promise.all(file.map((path) => uploaded(client, path))));
  return withoutUndefined({
    ...{ processor, config: stageConfig, files, mode, priority, labels, concurrency, timeoutMs, memoryMb },
    maxLength: maxLength === 'none' ? null : maxLength,
    retry: Object.keys(retry).length > 0 ? retry : undefined,
  });
}

async function uploaded(client: Client, path: string): Promise<{ name: string; hash: string; size: number }> {
  try {
    return { name: basename(path), ...(await client.upload(createReadStream(path))) };
  } catch (error) {
    if (error instanceof PismakError) throw error;
    throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Commander makes a null an empty text, so the word stays until the definition is made. */
function lengthOrNone(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(text);
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
