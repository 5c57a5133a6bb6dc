import { createHash } from 'node:crypto';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Day } from '../calendar/days.ts';
import type { Statistics } from '../opened/statistics.ts';
import { checkSchemaName } from '../schema/schemas.ts';
import { listClosedMonths } from '../store/closed-months.ts';
import type { Limits } from '../store/limits.ts';
import { Turns } from '../turns/turns.ts';
import { BatchBuilder, type BatchRules, type Refusal } from './batch-builder.ts';
import { addContent, type Content } from './lines.ts';

export interface Batch {
  /** The sender. Tokens of different owners never clash. */
  owner: string;
  /** The same token with the same content counts once. */
  token: string;
  level: BatchRules['level'];
  schema?: string | undefined;
  content: Content;
  mayWrite(user: string): boolean;
  /** Undefined for administrators and for Pismak itself. */
  limits?: Limits | undefined;
}

export interface Ingested {
  /** The batch was counted before; nothing was counted now. */
  duplicate: boolean;
  events: number;
  accepted: number;
  /** Events for closed months: listed as corrections, not summed. */
  corrections: number;
  refused: number;
  /** The first ones. */
  refusals: Refusal[];
}

const refusalsShown = 100;
/** A further try is needed only if a month was closed or a day sealed at the same moment. */
const mostTries = 5;
/** In characters. */
const hashedAtOnce = 256 * 1024;

/** Counts a batch of events. When it resolves, valid events are durable; refused ones are returned with reasons. */
export async function ingest(statistics: Statistics, batch: Batch): Promise<Ingested> {
  const { store, clock, database, schemas } = statistics;
  checkSchemaName(schemas, batch.schema);
  await statistics.foundations.get();
  const { content, owner, token, level } = batch;
  const hash = await hashOf(content, level);
  const sealed = new Set<string>();
  for (let tries = 0; tries < mostTries; tries++) {
    const closed = await listClosedMonths(database.query);
    const receivedAt = clock.now();
    const builder = await build(statistics, batch, { closed, sealed, receivedAt });
    const counts = { events: builder.events, refused: builder.refusals.length };
    const answer = await store.accept({
      owner,
      token,
      hash,
      receivedAt,
      ...counts,
      cubes: builder.cubes(),
      corrections: builder.corrections,
      limits: batch.limits,
      closed: new Set(builder.corrections.map(({ day }) => monthOf(day, closed))),
    });
    if (answer.outcome === 'mismatch')
      throw new PismakError(
        'conflict',
        `the token ${token} was used for another batch of ${answer.events} events; corrected events need a new token`,
        { details: { events: answer.events } },
      );
    if (answer.outcome === 'sealed') {
      for (const { kind, user, day } of answer.days) sealed.add(`${kind}\0${user}\0${day}`);
      continue;
    }
    if (answer.outcome === 'closed') continue;
    const { outcome, ...taken } = answer;
    const duplicate = outcome === 'duplicate';
    if (!duplicate && taken.accepted > 0) statistics.tellCounted();
    return { duplicate, ...taken, refusals: duplicate ? [] : builder.refusals.slice(0, refusalsShown) };
  }
  throw new PismakError('unavailable', 'months are being closed or days sealed right now; try again');
}

async function build(
  { schemas, days, keptMs, futureMs }: Statistics,
  { content, level, schema, mayWrite }: Batch,
  state: { closed: ReadonlySet<Day>; sealed: ReadonlySet<string>; receivedAt: number },
): Promise<BatchBuilder> {
  const { closed, sealed, receivedAt } = state;
  const builder = new BatchBuilder({
    schemas,
    schema,
    days,
    level,
    closed,
    mayWrite,
    latest: receivedAt + futureMs,
    sealedBefore: days.dayAt(receivedAt - keptMs),
    sealed: (kind, user, day) => sealed.size > 0 && sealed.has(`${kind}\0${user}\0${day}`),
  });
  await addContent(builder, content);
  return builder;
}

function monthOf(day: Day, closed: ReadonlySet<Day>): Day {
  return Math.max(...[...closed].filter((month) => month <= day));
}

/** Gives way to others: 16 MB take 50 ms. */
async function hashOf(content: Batch['content'], level: string): Promise<string> {
  const hash = createHash('sha256').update(`${level}\n`);
  const turns = new Turns();
  if ('text' in content) {
    hash.update(`${content.format}\n`);
    for (let from = 0, to = 0; from < content.text.length; from = to) {
      to = from + hashedAtOnce;
      // A character outside the basic plane has two parts that must stay together.
      if ((content.text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++;
      hash.update(content.text.slice(from, to));
      await turns.next();
    }
    return hash.digest('hex');
  }
  // The same as of `JSON.stringify(events)`.
  hash.update('[');
  let text = '';
  for (const [index, event] of content.events.entries()) {
    text += (index === 0 ? '' : ',') + JSON.stringify(event);
    if (text.length < hashedAtOnce) continue;
    hash.update(text);
    text = '';
    await turns.next();
  }
  return hash.update(`${text}]`).digest('hex');
}
