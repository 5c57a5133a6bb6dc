import { sql } from 'kysely';
import type { Engine } from '../../engine/engine.ts';
import { insertMany } from '../database/many-rows.ts';
import { type MailDatabase, type MailRow, mailDatabase } from '../database/tables.ts';
import { byIds, mailsPerMessage } from '../delivery/mail-message.ts';
import { countMails } from '../delivery/submit-mail.ts';
import { queueOf } from '../settings.ts';
import { type Campaign, getCampaign } from './campaign.ts';
import { mailOf, type Recipe, recipesOf } from './campaign-mails.ts';
import { type Person, readAudience } from './read-audience.ts';

export type GenerateParts = Pick<Engine, 'backlog' | 'blobs' | 'clock' | 'database' | 'settings'>;

/** More would be no faster, and their garbage would double the memory of the process. */
const peoplePerBatch = 250;

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
      const made = mailsOf(parts, campaign, recipes, batch);
      batch = [];
      if (!(await storing)) return false;
      const next = isLast ? { source: source + 1, position: 0 } : { source, position };
      storing = storeBatch(parts, campaign, recipes, made, next).then(
        (state) => state === 'running' && !signal.aborted,
      );
      // Whoever waits for it hears of a failure.
      storing.catch(() => {});
      return true;
    };
    try {
      for await (const person of readAudience(parts, from)) {
        if (skip > 0) {
          skip--;
          continue;
        }
        batch.push(person);
        if (batch.length >= peoplePerBatch && !(await store(false))) return 'stopped';
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
  rows: ReadonlyMap<string, MailRow>;
  people: number;
  /** People who can't get a mail. */
  refused: number;
}

function mailsOf(
  { clock }: GenerateParts,
  campaign: Campaign,
  recipes: readonly Recipe[],
  people: readonly Person[],
): MadeMails {
  const now = clock.now();
  const rows = new Map<string, MailRow>();
  let refused = 0;
  for (const person of people) {
    const row = mailOf(campaign, recipes, person, now);
    if (row) rows.set(row.id, row);
    else refused++;
  }
  return { rows, people: people.length, refused };
}

/** Resolves to the state of the campaign. */
async function storeBatch(
  parts: GenerateParts,
  campaign: Campaign,
  recipes: readonly Recipe[],
  { rows, people, refused }: MadeMails,
  next: { source: number; position: number },
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
    const isNew = new Set(await insertMails(database, transaction, [...rows.values()]));
    const fresh = [...rows.values()].filter(({ id }) => isNew.has(id));
    const owner = { name: campaign.owner, role: campaign.isLimited ? ('user' as const) : ('admin' as const) };
    if (fresh.length > 0) await countMails(parts, transaction, owner, fresh.length);
    const paused = campaign.isHeld || state !== 'running';
    const items = [...Map.groupBy(fresh, (row) => row.class)].flatMap(([className, mails]) => {
      const { lane = 'normal', holdAtRelay = false } =
        recipes.find(({ type }) => type.class === className)?.mailClass ?? {};
      return inGroups(mails, mailsPerMessage).map((group) => ({
        ...{ queue: queueOf(className), owner: campaign.owner, batch: campaign.id, paused },
        message: byIds(
          group.map(({ id }) => id),
          campaign.owner,
          lane,
        ),
        // Relays may keep them until then; those that can't give them back.
        ...(campaign.startAt > now && !holdAtRelay && { notBefore: campaign.startAt }),
      }));
    });
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

const columns = [
  ...(['id', 'owner', 'type', 'version', 'class', 'recipient', 'fields', 'language', 'state'] as const),
  ...(['campaign', 'variant', 'createdAt', 'notAfter', 'changedAt'] as const),
];

/** Resolves to the ids that are new. */
async function insertMails(
  { dialect }: MailDatabase,
  transaction: MailDatabase['query'],
  rows: readonly MailRow[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const { rows: inserted } = await sql<{ id: string }>`
    ${insertMany(dialect, columns, rows)} ON CONFLICT ("id") DO NOTHING RETURNING "id"
  `.execute(transaction);
  return inserted.map(({ id }) => id);
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
