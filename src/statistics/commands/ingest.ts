import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Shell } from '../../terminal/shell.ts';
import { formats } from '../ingest/formats.ts';
import { statisticsBackfill, statisticsIngest } from '../operations/write.ts';
import { beginningClient } from './begin-data.ts';
import { type LineChunk, lineChunks } from './line-chunks.ts';
import { oneOf } from './one-of.ts';
import { sendAhead } from './send-ahead.ts';

interface IngestOptions {
  schema?: string;
  level: 'event' | 'day';
  format?: 'ndjson' | 'csv';
  batch?: string;
}

/** One chunk is parsed while the previous one is written. */
const chunksAtOnce = 2;
const refusalsShown = 10;
/** Maximum text in one call. */
const mostText = 16 * 2 ** 20;

/** `statistics ingest` and `statistics backfill`. */
export function addIngest(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'ingest <file>',
      'Count the events of a file (NDJSON or CSV; - reads standard input); the same file twice counts once',
      'statistics ingest events.ndjson --schema advertising',
      'statistics ingest days.csv --level day',
    )
    .option('--schema <name>', 'accept only kinds of this schema')
    .addOption(levelOption('`event`, or `day` for sums of whole days (`day` instead of `at`)'))
    .addOption(formatOption())
    .option(
      '--batch <name>',
      'name of this batch, for files with the same first line (default: derived from the content)',
    )
    .action(
      shell.run<IngestOptions>(async (session, file = '') => {
        const { options, out, progress, signal } = session;
        const format = options.format ?? (file.endsWith('.csv') ? 'csv' : 'ndjson');
        const total = file === '-' ? undefined : (await stat(file).catch(() => undefined))?.size;
        const sum: Sum = { events: 0, accepted: 0, corrections: 0, refused: 0, duplicates: 0 };
        const refusals: { line: number; id: string; reason: string }[] = [];
        let bytes = 0;
        const connected = await beginningClient(session);
        const bar = progress('events');

        const send = async (chunk: LineChunk) => {
          signal.throwIfAborted();
          const answer = await sendChunk(connected, chunk, file, { ...options, format });
          sum.events += answer.events;
          if (answer.duplicate) sum.duplicates += answer.accepted;
          else sum.accepted += answer.accepted;
          sum.corrections += answer.corrections;
          sum.refused += answer.refused;
          for (const { index, id, reason } of answer.refusals)
            if (refusals.length < refusalsShown)
              // Empty lines are not counted, so this is exact only for files without them.
              refusals.push({ line: chunk.before + index + 1 + headerLines(format, chunk), id, reason });
          bytes += chunk.bytes;
          bar.set(sum.events, total && bytes > 0 ? Math.round((sum.events * total) / bytes) : undefined);
        };
        await sendAhead(lineChunks(file, format === 'csv'), chunksAtOnce, send);
        bar.close();
        if (out.json) out.object({ ...sum, refusals });
        else sayIngested(out, sum, refusals);
        // So that a script notices that it sent the wrong file.
        if (sum.events > 0 && sum.refused === sum.events)
          throw new PismakError('invalid-input', `every event of ${file} was refused`);
      }),
    );

  shell
    .command(
      group,
      'backfill <kind> <file>',
      statisticsBackfill.summary,
      'statistics backfill keyword day.ndjson --user 3 --day 2026-03-29',
    )
    .requiredOption('--user <user>', 'user whose day is replaced')
    .requiredOption('--day <date>', 'day to replace')
    .addOption(levelOption('`event`, or `day` for sums of whole days'))
    .addOption(formatOption())
    .action(
      shell.run<IngestOptions & { user: string; day: string }>(async (session, kind = '', file = '') => {
        const { options, out, client } = session;
        const format = options.format ?? (file.endsWith('.csv') ? 'csv' : 'ndjson');
        const chunks = await Array.fromAsync(lineChunks(file, false));
        const text = chunks.map((chunk) => chunk.text).join('');
        const { user, day, level } = options;
        if (text.trim() === '')
          throw new PismakError(
            'invalid-input',
            `${file} is empty, so ${day} would have nothing any more; to empty a day, give an event with zeros`,
          );
        if (text.length > mostText)
          throw new PismakError(
            'too-large',
            `${file} has more than ${mostText / 2 ** 20} MB; add up its events and use --level day`,
          );
        const { events } = await (await client()).call(statisticsBackfill, {
          kind,
          user,
          day,
          level,
          text,
          format,
        });
        out.say(`${day} of ${kind} of user ${user} now has ${formatCount(events, 'event')}`);
      }),
    );
}

function levelOption(about: string): Option {
  return new Option('--level <level>', about).argParser(oneOf(['event', 'day'])).default('event');
}

function formatOption(): Option {
  return new Option('--format <format>', 'ndjson or csv; default: by the name of the file').argParser(
    oneOf(formats),
  );
}

async function sendChunk(
  client: Client,
  chunk: LineChunk,
  file: string,
  options: IngestOptions & { format: 'ndjson' | 'csv' },
) {
  const { level, schema, format, batch } = options;
  const token = batch === undefined ? `file:${chunk.place}` : `${batch}/${chunk.index}`;
  try {
    return await client.call(statisticsIngest, {
      token,
      level,
      format,
      text: chunk.text,
      ...(schema !== undefined && { schema }),
    });
  } catch (error) {
    if (!hasCode(error, 'conflict')) throw error;
    const place = `lines ${chunk.before + 1} to ${chunk.before + chunk.lines} of ${file}`;
    throw new PismakError(
      'conflict',
      `${place} were counted before with other content. If the file has grown or you corrected lines that were refused, ingest only those lines; if it is another file, name it: --batch NAME`,
      { cause: error },
    );
  }
}

function headerLines(format: string, { index }: LineChunk): number {
  return format === 'csv' && index === 0 ? 1 : 0;
}

interface Sum {
  events: number;
  accepted: number;
  corrections: number;
  refused: number;
  duplicates: number;
}

function sayIngested(
  out: Output,
  sum: Sum,
  refusals: readonly { line: number; id: string; reason: string }[],
): void {
  const parts = [`${formatCount(sum.accepted, 'event')} counted`];
  if (sum.duplicates > 0) parts.push(`${sum.duplicates} counted before`);
  if (sum.corrections > 0) parts.push(`${sum.corrections} listed as corrections of closed months`);
  if (sum.refused > 0) parts.push(`${sum.refused} refused`);
  out.say(parts.join(', '));
  for (const { line, id, reason } of refusals)
    out.say(`line ${line}${id === '' ? '' : ` (${id})`}: ${reason}`);
  // Batches that were counted before come without reasons.
  if (refusals.length > 0 && sum.refused > refusals.length)
    out.say(`and ${sum.refused - refusals.length} more`);
}
