import { PismakError } from '../../engine/ground/errors.ts';
import { csvLimits, readRecord } from '../../formats/csv/csv-record.ts';
import { Turns } from '../turns/turns.ts';
import { type BatchBuilder, mostEvents } from './batch-builder.ts';
import type { Format } from './formats.ts';
import { ShapedLines } from './shaped-lines.ts';

/** Short turns: people wait for answers, nobody waits for events. */
const turnMs = 2;
const addedAtOnce = 128;
/** Characters; an event has a few hundred. */
const longestLine = 64 * 1024;

/** Gives way to others after some lines, empty and broken ones too. */
class Lines {
  readonly #builder: BatchBuilder;
  readonly #turns = new Turns(undefined, turnMs);
  #read = 0;

  constructor(builder: BatchBuilder) {
    this.#builder = builder;
  }

  /** Before the next line. Undefined most of the time: waiting costs more than reading a line. */
  next(): Promise<void> | undefined {
    if (++this.#read % addedAtOnce !== 0) return undefined;
    // The rest of a batch that is refused is not read.
    if (this.#builder.events > mostEvents) throw tooManyEvents(this.#builder.events);
    return this.#turns.next();
  }
}

/** Adds all events of a batch, and gives way to others meanwhile. */
export async function addContent(builder: BatchBuilder, content: Content): Promise<void> {
  const lines = new Lines(builder);
  if ('events' in content)
    for (const event of content.events) {
      builder.add(event);
      const turn = lines.next();
      if (turn) await turn;
    }
  else if (content.format === 'csv') await addCsv(builder, content.text, lines);
  else await addNdjson(builder, content.text, lines);
  if (builder.events > mostEvents) throw tooManyEvents(builder.events);
}

function tooManyEvents(events: number): PismakError {
  return new PismakError(
    'too-large',
    `the batch has ${events} events or more; the limit is ${mostEvents}: send several batches`,
  );
}

export type Content = { events: readonly unknown[] } | { text: string; format: Format };

/** Empty lines don't count. */
async function addNdjson(builder: BatchBuilder, text: string, lines: Lines): Promise<void> {
  const shaped = new ShapedLines();
  // Windows begins files with a byte order mark.
  for (let from = text.startsWith('\ufeff') ? 1 : 0, end = 0; from < text.length; from = end + 1) {
    const turn = lines.next();
    if (turn) await turn;
    const found = text.indexOf('\n', from);
    end = found < 0 ? text.length : found;
    if (end - from > longestLine) {
      builder.addBroken(`longer than ${longestLine} characters`);
      continue;
    }
    const usual = shaped.read(text, from, end);
    if (usual === undefined || !builder.addUsual(usual)) {
      const line = text.slice(from, end);
      if (line === '' || line === '\r') continue;
      addLine(builder, line, usual ? undefined : shaped);
    }
  }
}

function addLine(builder: BatchBuilder, line: string, shaped: ShapedLines | undefined): void {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    builder.addBroken('not JSON');
    return;
  }
  shaped?.learn(line);
  builder.add(event);
}

/** The first line names the columns. Numbers in columns of dimensions are whole; empty fields are left out. */
async function addCsv(builder: BatchBuilder, text: string, lines: Lines): Promise<void> {
  const first = endOfLine(text, 0);
  const columns = (fieldsOf(text.slice(0, first).replace(/^\ufeff/, '')) ?? []).map((name) => name.trim());
  if (!columns.includes('kind') || !columns.includes('entity'))
    throw new PismakError(
      'invalid-input',
      'the first line of CSV must name the columns: kind,entity,user,split,at and dimensions',
    );
  if (columns.length > csvLimits.columns)
    throw new PismakError(
      'invalid-input',
      `the first line of CSV has more than ${csvLimits.columns} columns`,
    );
  const seen = new Set<string>();
  const twice = columns.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined)
    throw new PismakError('invalid-input', `the first line of CSV names the column ${twice} twice`);
  const texts = new Set(['id', 'kind', 'entity', 'user', 'split', 'at', 'day']);
  for (let from = first + 1, end = 0; from < text.length; from = end + 1) {
    const turn = lines.next();
    if (turn) await turn;
    end = endOfLine(text, from);
    const line = text.slice(from, end);
    if (line === '' || line === '\r') continue;
    const fields = fieldsOf(line);
    if (!fields) {
      builder.addBroken('a quote is not closed, or something follows it');
      continue;
    }
    if (fields.length !== columns.length) {
      builder.addBroken(`it has ${fields.length} fields, the first line ${columns.length}`);
      continue;
    }
    const event: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) {
      const field = fields[index] ?? '';
      if (field === '') continue;
      if (column === 'at' && /^\d{12,14}$/.test(field)) event.at = Number(field);
      else event[column] = texts.has(column) ? field : numberOr(field);
    }
    builder.add(event);
  }
}

/** The end of the line that begins here. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function numberOr(field: string): number | string {
  return /^-?\d+$/.test(field) ? Number(field) : field;
}

/** Fields may be quoted, with quotes doubled; a field has no line break. Undefined: the quotes don't match. */
function fieldsOf(line: string): string[] | undefined {
  const record = readRecord(line, 0);
  return typeof record === 'string' ? undefined : record.fields;
}
