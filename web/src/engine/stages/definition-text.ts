import type { Operations } from '../../api/types.ts';

export type Stage = Operations['stage.show']['output'];
type Definition = Omit<Stage, 'broken'>;

/** A whole definition as text, so that two versions can be compared line by line. */
export function definitionText(stage: Definition): string {
  const { retry } = stage;
  return [
    `processor = ${stage.processor}`,
    `mode = ${stage.mode}`,
    `priority = ${stage.priority}`,
    `labels = ${stage.labels.join(' ')}`,
    `concurrency = ${stage.concurrency}`,
    `attempts = ${retry.attempts}`,
    `first delay = ${retry.firstDelayMs} ms`,
    `factor = ${retry.factor}`,
    `longest delay = ${retry.maxDelayMs} ms`,
    `jitter = ${retry.jitter}`,
    `timeout = ${stage.timeoutMs} ms`,
    `memory = ${stage.memoryMb} MB`,
    `longest queue = ${stage.maxLength ?? '-'}`,
    `foreign priority = ${stage.foreignPriority}`,
    ...stage.files.map(({ name, size, hash }) => `file ${name} ${size} ${hash.slice(0, 12)}`),
    ...(stage.config === '' ? [] : ['', stage.config.trimEnd()]),
  ].join('\n');
}

/** What a form of a stage edits, as its fields hold it. */
export interface StageFields {
  processor: string;
  mode: 'exclusive' | 'shared';
  config: string;
  priority: number;
  labels: string;
  concurrency: number;
  attempts: number;
  timeoutSeconds: number;
  memoryMb: number;
  maxLength: string;
}

export function fieldsOf(stage: Definition): StageFields {
  return {
    processor: stage.processor,
    mode: stage.mode,
    config: stage.config,
    priority: stage.priority,
    labels: stage.labels.join(' '),
    concurrency: stage.concurrency,
    attempts: stage.retry.attempts,
    timeoutSeconds: stage.timeoutMs / 1000,
    memoryMb: stage.memoryMb,
    maxLength: stage.maxLength === null ? '' : String(stage.maxLength),
  };
}

/** The change that a form means; what is not on the form stays. */
export function changeOf(
  fields: StageFields,
  stage: Definition,
): Partial<Operations['stage.configure']['input']> {
  const maxLength = String(fields.maxLength ?? '').trim();
  return {
    processor: fields.processor,
    mode: fields.mode,
    config: fields.config,
    priority: Number(fields.priority),
    labels: fields.labels.split(/[\s,]+/).filter((label) => label !== ''),
    concurrency: Number(fields.concurrency),
    retry: { ...stage.retry, attempts: Number(fields.attempts) },
    timeoutMs: Math.round(Number(fields.timeoutSeconds) * 1000),
    memoryMb: Number(fields.memoryMb),
    maxLength: maxLength === '' ? null : Number(maxLength),
  };
}

/** All of an old version, to make it the newest again. */
export function restoring({
  version: _,
  name,
  ...definition
}: Definition): Operations['stage.configure']['input'] {
  return { name, ...definition };
}

/** A name moved by one place; the same list if there is no place. */
export function moved<T>(list: readonly T[], index: number, by: 1 | -1): T[] {
  const to = index + by;
  const [one, other] = [list[index], list[to]];
  if (one === undefined || other === undefined) return [...list];
  return list.with(index, other).with(to, one);
}
