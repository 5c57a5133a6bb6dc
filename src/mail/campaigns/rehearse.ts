import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { stateOf } from '../../engine/house.ts';
import { mailQueries } from '../database/tables.ts';
import { submitMail } from '../delivery/submit-mail.ts';
import type { MailFields } from '../model/mail.ts';
import { OpenMail } from '../opened/open-mail.ts';
import type { Campaign } from './campaign.ts';
import { mailFor, type Recipe, recipesOf, sharedColumns } from './campaign-mails.ts';
import { type Person, readAudience } from './read-audience.ts';

/** What a campaign would do with its audience. */
export interface Rehearsal {
  /** People read; all of them, if `isComplete`. */
  read: number;
  isComplete: boolean;
  /** Mails that would be sent, in total and of each type. */
  mails: number;
  types: Record<string, number>;
  /** People who are repeated, have no valid address, are suppressed, or whose mail can't be built. */
  repeated: number;
  refused: number;
  suppressed: number;
  failed: number;
  /** The first people who would get no mail, and why. */
  problems: { row: number; email: string; reason: string }[];
  /** Size of the largest and of the average mail. */
  largestBytes: number;
  meanBytes: number;
}

const mostProblems = 20;
const peopleAtOnce = 500;
/** Building mails never yields to the event loop by itself. */
const mailsBetweenPauses = 20;

/** Reads an audience and builds its mails, as a campaign would, but stores and sends nothing. */
export async function rehearse(
  engine: Engine,
  campaign: Campaign,
  most: number,
  signal: AbortSignal,
): Promise<Rehearsal> {
  const recipes = await recipesOf(engine, campaign);
  const composer = await stateOf(engine, OpenMail).composer();
  const seen = new Set<string>();
  const result = { ...nothingYet(), isComplete: true };
  let bytes = 0;
  const problem = (row: number, email: string, reason: string) => {
    if (result.problems.length < mostProblems) result.problems.push({ row, email, reason });
  };

  const look = async (people: readonly Person[]) => {
    const rows: { number: number; row: RehearsedMail }[] = [];
    for (const person of people) {
      const number = ++result.read;
      const row = rehearsedMail(campaign, recipes, person, number, engine.clock.now());
      if (!row) {
        result.refused++;
        problem(number, String(person.email ?? '').slice(0, 254), 'no valid address, or too much data');
      } else if (seen.has(row.key)) result.repeated++;
      else {
        seen.add(row.key);
        rows.push({ number, row });
      }
    }
    const suppressed = await suppressedAmong(
      engine,
      rows.map(({ row }) => row),
    );
    for (const [index, { number, row }] of rows.entries()) {
      if (index % mailsBetweenPauses === 0) await setImmediate();
      signal.throwIfAborted();
      if (suppressed.has(row.id)) {
        result.suppressed++;
        continue;
      }
      try {
        const { message } = await composer.compose(row);
        bytes += message.length;
        result.largestBytes = Math.max(result.largestBytes, message.length);
        result.mails++;
        result.types[row.type] = (result.types[row.type] ?? 0) + 1;
      } catch (error) {
        result.failed++;
        problem(number, row.recipient, messageOf(error));
      }
    }
  };

  let batch: Person[] = [];
  for await (const person of audienceOf(engine, campaign)) {
    if (result.read + batch.length >= most) {
      result.isComplete = false;
      break;
    }
    batch.push(person);
    if (batch.length < peopleAtOnce) continue;
    await look(batch);
    batch = [];
  }
  await look(batch);
  return { ...result, meanBytes: result.mails === 0 ? 0 : Math.round(bytes / result.mails) };
}

/**
 * Sends the mails of the first people, in each variant, to other addresses. They have real data, use the high lane, belong to
 * no campaign and count against the caller's limit.
 */
export async function sendTests(
  engine: Engine,
  campaign: Campaign,
  { to, people, caller }: { to: readonly string[]; people: number; caller: Caller },
): Promise<string[]> {
  const recipes = await recipesOf(engine, campaign);
  const found: Person[] = [];
  for await (const person of audienceOf(engine, campaign)) {
    if (mailFor(campaign, recipes, person, 0)) found.push(person);
    if (found.length >= people) break;
  }
  if (found.length === 0)
    throw new PismakError('invalid-input', 'nobody in the audience has a valid address');
  const ids: string[] = [];
  for (const recipe of recipes)
    for (const person of found) {
      const row = mailFor(campaign, [{ ...recipe, until: 1 }], person, 0);
      if (!row) continue;
      const fields = JSON.parse(row.fields) as MailFields;
      for (const address of to) {
        const options = { owner: caller, version: recipe.type.version, lane: 'high' as const };
        ids.push((await submitMail(engine, { ...fields, to: address }, options)).id);
      }
    }
  return ids;
}

type RehearsedMail = NonNullable<ReturnType<typeof rehearsedMail>>;

function rehearsedMail(
  campaign: Campaign,
  recipes: readonly Recipe[],
  person: Person,
  number: number,
  now: number,
) {
  const mail = mailFor(campaign, recipes, person, number);
  return mail && { ...sharedColumns(campaign, recipes, mail.recipe, now), ...mail };
}

async function* audienceOf(engine: Engine, campaign: Campaign): AsyncGenerator<Person> {
  for (const source of campaign.sources)
    for await (const people of readAudience(engine, source)) yield* people;
}

/** Ids of the mails whose recipient is suppressed for their class. */
async function suppressedAmong(engine: Engine, rows: readonly RehearsedMail[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const known = await mailQueries(engine)
    .selectFrom('mail_suppressed')
    .select(['address', 'class'])
    .where(
      'address',
      'in',
      rows.map(({ recipient }) => recipient),
    )
    .execute();
  const keys = new Set(known.map(({ address, class: name }) => `${address} ${name}`));
  const isSuppressed = (row: RehearsedMail) =>
    keys.has(`${row.recipient} `) || keys.has(`${row.recipient} ${row.class}`);
  return new Set(rows.filter(isSuppressed).map(({ id }) => id));
}

function nothingYet(): Omit<Rehearsal, 'isComplete' | 'meanBytes'> {
  return {
    read: 0,
    mails: 0,
    repeated: 0,
    refused: 0,
    suppressed: 0,
    failed: 0,
    largestBytes: 0,
    types: {},
    problems: [],
  };
}
