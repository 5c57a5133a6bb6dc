import { type Command, InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { pipelineShow } from '../../engine/operation/operations/pipeline.ts';
import type { Client } from '../client/client.ts';
import { commaList, wholeNumber } from './option-values.ts';

/** Where requests go: the options of `publish` and `dummy`. */
export interface TargetOptions {
  pipeline?: string;
  stages?: string[];
  priority?: number;
}

export interface Target {
  pipeline?: string;
  stages?: string[];
  priority?: number;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option('--pipeline <name>', 'through this pipeline')
    .option(
      '--stages <a,b,out>',
      'through these stages; the last is the output queue, created if needed',
      commaList,
    )
    .option('--priority <priority>', 'high (before all normal requests) or normal', readPriority);
}

export function targetOf({ pipeline, stages, priority }: TargetOptions, usual?: string): Target {
  if (pipeline !== undefined && stages !== undefined) {
    throw new PismakError('invalid-input', 'give either --pipeline or --stages, not both');
  }
  const name = pipeline ?? (stages === undefined ? usual : undefined);
  if (name === undefined && stages === undefined) {
    throw new PismakError('invalid-input', 'name a target: --pipeline NAME or --stages a,b,out');
  }
  return {
    ...(name !== undefined && { pipeline: name }),
    ...(stages && { stages }),
    ...(priority !== undefined && { priority }),
  };
}

/** The queue that will receive the results. */
export async function outputQueue(target: Target, client: Client): Promise<string> {
  if (target.stages) return target.stages.at(-1) ?? '';
  const { stages } = await client.call(pipelineShow, { name: target.pipeline ?? '' });
  return stages.at(-1) ?? '';
}

export function readPriority(text: string): number {
  if (text === 'high') return 1;
  if (text === 'normal') return 0;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('it must be high or normal.');
  return wholeNumber(text);
}
