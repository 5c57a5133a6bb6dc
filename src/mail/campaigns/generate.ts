import { sql } from 'kysely';
import type { Engine } from '../../engine/engine.ts';
import { collectGarbage } from '../../engine/idle-memory.ts';
import { type MailDatabase, mailDatabase } from '../database/tables.ts';
import { byIds, mailsPerMessage } from '../delivery/mail-message.ts';
import { countMails } from '../delivery/submit-mail.ts';
import { idsOf } from '../delivery/take-mails.ts';
import { queueOf } from '../settings.ts';
import { type Campaign, getCampaign } from './campaign.ts';
import { type CampaignMail, mailFor, type Recipe, recipesOf, sharedColumns } from './campaign-mails.ts';
import { insertMails } from './insert-mails.ts';
import { type Person, readAudience } from './read-audience.ts';

export type GenerateParts = Pick<Engine, 'backlog' | 'blobs' | 'clock' | 'database' | 'settings'>;

/** Each batch waits for the disk once. More would be no faster, and take memory. */
const peoplePerBatch = 1000;
/** A batch lives just long enough for V8 to take it for something lasting: the heap would grow by 100 MB before V8 looks again. */
const peoplePerCollection = 25_000;

/**
 * Makes the mails of a campaign, a batch of people in each transaction, with how far the audience has been read: after a
 * crash it goes on there. The id of a mail follows from campaign and address, so nobody is in a campaign twice, however
 * often the audience names him and however often this is run.
 */
export async function generate(
  parts: GenerateParts,
  id: string,
  signal: AbortSignal,
): Promise<'complete' | 'stopped'> {
  const campaign = await getCampaign(parts, id, '');
  const recipes = await recipesOf(parts, campaign);
  // What the start of the process left behind goes too.
  collectGarbage();
  let uncollected = 0;
  for (let source = campaign.source; source < campaign.sources.length; source++) {
    const from = campaign.sources[source];
    if (!from) break;
    // A file is the same each time. The rows of a query may come in another order, so all are looked at again.
    let skip = source === campaign.source && 'blob' in from ? campaign.position : 0;
    let position = skip;
    let batch: Person[] = [];
    /** The batch before, which is stored while this one is read. False: go no further. */
    let storing = Promise.resolve(true);
    const store = async (isLast: boolean) => {
      position += batch.length;
      uncollected += batch.length;
      const made = mailsOf(campaign, recipes, batch);
      batch = [];
      if (!(await storing)) return false;
      if (uncollected >= peoplePerCollection) {
        collectGarbage();
        uncollected = 0;
      }
      const next = isLast ? { source: source + 1, position: 0 } : { source, position };
      storing = storeBatch(parts, campaign, recipes, made, next).then(
        (state) => state === 'running' && !signal.aborted,
      );
      // Whoever waits for it hears of a failure.
      storing.catch(() => {});
      return true;
    };
    try {
      for await (const people of readAudience(parts, from)) {
        const known = Math.min(skip, people.length);
        skip -= known;
        for (const person of known > 0 ? people.slice(known) : people)
          if (batch.push(person) >= peoplePerBatch && !(await store(false))) return 'stopped';
      }
      if (!(await store(true))) return 'stopped';
    } finally {
      // Nothing of it may be under way when somebody begins again.
      await storing.catch(() => false);
    }
    if (!(await storing) && source + 1 < campaign.sources.length) return 'stopped';
  }
  return 'complete';
}

interface MadeMails {
  /** By id. */
  mails: ReadonlyMap<string, CampaignMail>;
  people: number;
  /** People who can't get a mail. */
  refused: number;
}

function mailsOf(campaign: Campaign, recipes: readonly Recipe[], people: readonly Person[]): MadeMails {
  const mails = new Map<string, CampaignMail>();
  let refused = 0;
  for (const person of people) {
    const mail = mailFor(campaign, recipes, person);
    if (!mail) refused++;
    // Of those who are named again the first counts, as in different batches.
    else if (!mails.has(mail.id)) mails.set(mail.id, mail);
  }
  return { mails, people: people.length, refused };
}

/**
 * Resolves to the state of the campaign. Looking for mails that are there already costs as much as storing new ones, so it is
 * done only if there are some: then the transaction begins again.
 */
async function storeBatch(
  parts: GenerateParts,
  campaign: Campaign,
  recipes: readonly Recipe[],
  made: MadeMails,
  next: { source: number; position: number },
): Promise<string> {
  try {
    return await storeMails(parts, campaign, recipes, made, next, false);
  } catch (error) {
    if (!(error instanceof SomeAreKnown)) throw error;
    return storeMails(parts, campaign, recipes, made, next, true);
  }
}

/** Thrown in a transaction, so that nothing of it stays. */
class SomeAreKnown extends Error {}

async function storeMails(
  parts: GenerateParts,
  campaign: Campaign,
  recipes: readonly Recipe[],
  { mails, people, refused }: MadeMails,
  next: { source: number; position: number },
  looksForKnown: boolean,
): Promise<string> {
  const database = mailDatabase(parts);
  const now = parts.clock.now();
  const reached = await database.transaction(async (transaction) => {
    // Read under the transaction: a pause that comes now must not be missed.
    const { state } = await transaction
      .selectFrom('mail_campaign')
      .select('state')
      .where('id', '=', campaign.id)
      .executeTakeFirstOrThrow();
    if (state === 'cancelled') return state;
    const known = looksForKnown ? await knownAmong(database, transaction, [...mails.keys()]) : new Set();
    const fresh = [...mails.values()].filter(({ id }) => !known.has(id));
    const groups = Map.groupBy(fresh, ({ recipe }) => recipe);
    for (const [recipe, some] of groups) {
      const shared = sharedColumns(campaign, recipes, recipe, now);
      const inserted = await insertMails(database, transaction, some, shared);
      if (inserted < some.length) throw new SomeAreKnown();
    }
    const owner = { name: campaign.owner, role: campaign.isLimited ? ('user' as const) : ('admin' as const) };
    if (fresh.length > 0) await countMails(parts, transaction, owner, fresh.length);
    const paused = campaign.isHeld || state !== 'running';
    const items = [...groups].flatMap(([{ type, mailClass }, some]) =>
      inGroups(some, mailsPerMessage).map((group) => ({
        ...{ queue: queueOf(type.class), owner: campaign.owner, batch: campaign.id, paused },
        message: byIds(
          group.map(({ id }) => id),
          campaign.owner,
          mailClass.lane,
        ),
        // Relays may keep them until then; those that can't give them back.
        ...(campaign.startAt > now && !mailClass.holdAtRelay && { notBefore: campaign.startAt }),
      })),
    );
    await parts.backlog.add(transaction, items);
    await transaction
      .updateTable('mail_campaign')
      .set(({ eb }) => ({
        ...next,
        read: eb('read', '+', people),
        generated: eb('generated', '+', fresh.length),
        repeated: eb('repeated', '+', people - refused - fresh.length),
        refused: eb('refused', '+', refused),
      }))
      .where('id', '=', campaign.id)
      .execute();
    return state;
  });
  parts.backlog.wake();
  return reached;
}

/** The mails that are there already: of people whom the audience has named before. */
async function knownAmong(
  { dialect }: MailDatabase,
  transaction: MailDatabase['query'],
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT "id" FROM "mail_mail" WHERE "id" IN ${idsOf(dialect, ids)}
  `.execute(transaction);
  return new Set(rows.map(({ id }) => id));
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
