import type { Engine } from '../../engine/composition/engine.ts';
import { collectGarbage } from '../../engine/process/idle-memory.ts';
import { sleep } from '../../engine/time/clock.ts';
import { mailDatabase } from '../database/tables.ts';
import { type Campaign, getCampaign, tellCampaign } from './campaign.ts';
import { type CampaignMail, idPrefix, keyOf, mailFor, type Recipe, recipesOf } from './campaign-mails.ts';
import { PeopleOnDisk } from './people-on-disk.ts';
import { type Person, readAudience } from './read-audience.ts';
import { type MadeMails, type Reached, storeMails } from './store-campaign-mails.ts';

export type GenerateParts = Pick<
  Engine,
  'backlog' | 'blobs' | 'changes' | 'clock' | 'database' | 'disk' | 'settings'
>;

/** Each batch waits for the disk once. Larger batches are no faster and need more memory. */
const peoplePerBatch = 1000;
/**
 * V8 promotes a batch to the old generation just before it becomes garbage: without explicit collections the heap grows by 100
 * MB.
 */
const peoplePerCollection = 15_000;

const knownAtOnce = 5000;
/** How often to check for free disk space. */
const roomMs = 1000;

/**
 * Makes the mails of a campaign. Each transaction stores a batch of mails and how far the audience has been read, so a crash
 * loses nothing. Nobody gets two mails of a campaign, however often the audience names them and however often this runs.
 */
export async function generate(
  parts: GenerateParts,
  id: string,
  signal: AbortSignal,
): Promise<'complete' | 'stopped'> {
  const campaign = await getCampaign(parts, id, '');
  // Collects the garbage of the start-up as well.
  collectGarbage();
  const known = new PeopleOnDisk();
  try {
    await addKnown(parts, campaign, known);
    return await generateRest(parts, campaign, known, signal);
  } finally {
    known.close();
  }
}

/** Adds the people who got a mail of this campaign in an earlier run. */
async function addKnown(parts: GenerateParts, campaign: Campaign, known: PeopleOnDisk): Promise<void> {
  if (campaign.read === 0) return;
  const { query } = mailDatabase(parts);
  const prefix = idPrefix(campaign);
  // Letters and digits only: databases disagree about the order of other characters.
  const end = `${prefix}${'z'.repeat(8)}`;
  for (let after = prefix; ; ) {
    const rows = await query
      .selectFrom('mail_mail')
      .select('id')
      .where('id', '>', after)
      .where('id', '<', end)
      .orderBy('id')
      .limit(knownAtOnce)
      .execute();
    for (const { id } of rows) known.add(keyOf(id));
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function generateRest(
  parts: GenerateParts,
  campaign: Campaign,
  known: PeopleOnDisk,
  signal: AbortSignal,
): Promise<'complete' | 'stopped'> {
  const recipes = await recipesOf(parts, campaign);
  let uncollected = 0;
  let reached: Reached = { source: campaign.source, position: campaign.position, read: campaign.read };
  for (let source = campaign.source; source < campaign.sources.length; source++) {
    const from = campaign.sources[source];
    if (!from) break;
    // A file never changes. The rows of a query may come in another order, so all are read again.
    let skip = source === campaign.source && 'blob' in from ? campaign.position : 0;
    let position = skip;
    let batch: Person[] = [];
    /** Storing the previous batch, while this one is read. False: stop. */
    let storing = Promise.resolve(true);
    const store = async (isLast: boolean) => {
      position += batch.length;
      uncollected += batch.length;
      const made = mailsOf(campaign, recipes, batch, reached.read, known);
      batch = [];
      if (!(await storing)) return false;
      // Millions of mails must not fill the disk that others need.
      while (parts.disk.isShort && !signal.aborted) await sleep(parts.clock, roomMs, signal);
      if (uncollected >= peoplePerCollection) {
        collectGarbage();
        uncollected = 0;
      }
      const before = reached;
      const read = before.read + made.people;
      reached = isLast ? { source: source + 1, position: 0, read } : { source, position, read };
      storing = storeMails(parts, campaign, recipes, made, { before, after: reached }).then((state) => {
        tellCampaign(parts, campaign);
        return state === 'running' && !signal.aborted;
      });
      // Failures reach those who await it.
      storing.catch(() => {});
      return true;
    };
    try {
      for await (const people of readAudience(parts, from)) {
        const done = Math.min(skip, people.length);
        skip -= done;
        for (const person of done > 0 ? people.slice(done) : people)
          if (batch.push(person) >= peoplePerBatch && !(await store(false))) return 'stopped';
      }
      if (!(await store(true))) return 'stopped';
    } finally {
      // No write may be under way when generation starts again.
      await storing.catch(() => false);
    }
    if (!(await storing) && source + 1 < campaign.sources.length) return 'stopped';
  }
  return 'complete';
}

function mailsOf(
  campaign: Campaign,
  recipes: readonly Recipe[],
  people: readonly Person[],
  first: number,
  known: PeopleOnDisk,
): MadeMails {
  const mails: CampaignMail[] = [];
  let repeated = 0;
  let refused = 0;
  for (const [index, person] of people.entries()) {
    const mail = mailFor(campaign, recipes, person, first + index);
    if (!mail) refused++;
    else if (known.add(mail.key)) mails.push(mail);
    else repeated++;
  }
  return { mails, people: people.length, repeated, refused };
}
