import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { sleep } from '../../engine/time/clock.ts';
import { audienceOwner, toCampaign } from '../campaigns/campaign.ts';
import { type Person, readAudience } from '../campaigns/read-audience.ts';
import { markErased, withdrawnFreshMs } from '../database/erased-addresses.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { readMailMessage, wholeMessage } from '../delivery/mail-message.ts';
import { blobOwner } from '../delivery/submit-mail.ts';
import { addressKey, parseContact } from '../model/address.ts';
import type { MailState } from '../model/mail.ts';
import { classesOf, mailSection, queueOf } from '../settings/settings.ts';

type MailStore = Pick<Engine, 'clock' | 'database'>;

/** Final states. */
const endedStates: readonly MailState[] = ['sent', 'failed', 'bounced', 'expired', 'suppressed', 'cancelled'];
const mailsPerStep = 500;
const lettersAtOnce = 100;
/** Limits the answer to a readable length. */
const mostCampaigns = 100;

type ErasingEngine = MailStore & Pick<Engine, 'blobs' | 'broker' | 'settings'>;

/**
 * Deletes everything about a recipient: all mails, waiting ones included, with data and attachments. Whole mails in a queue are
 * dropped when a sender takes them. Resolves to the number of mails, and to the campaigns whose audience still names the
 * address.
 */
export async function eraseRecipient(
  parts: ErasingEngine,
  address: string,
  signal: AbortSignal,
): Promise<{ mails: number; campaigns: string[] }> {
  const queries = mailQueries(parts);
  const at = parts.clock.now();
  await markErased(queries, address, at);
  const mails = await inSteps(signal, () =>
    deleteMails(parts, () =>
      queries
        .selectFrom('mail_mail')
        .select('id')
        .where('recipient', '=', address)
        .limit(mailsPerStep)
        .execute(),
    ),
  );
  const dead = await discardDead(parts, address, signal);
  const campaigns = await campaignsNaming(parts, address, signal);
  // After this, every sender knows of the erasure.
  await sleep(parts.clock, at + withdrawnFreshMs - parts.clock.now(), signal);
  return { mails: mails + dead, campaigns };
}

/** Discards dead letters with whole mails to the address. Resolves to their number. */
async function discardDead(
  { broker, settings }: ErasingEngine,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  let discarded = 0;
  for (const name of classesOf(sectionOf(settings, mailSection)).keys()) {
    const queue = queueOf(name);
    for (let offset = 0; !signal.aborted; ) {
      const letters = await broker.dead(queue, { offset, limit: lettersAtOnce });
      if (letters.length === 0) break;
      offset += letters.length;
      for (const { id, body, lane, headers } of letters) {
        const mails = wholeMailsOf(body);
        const others = mails.filter(({ fields }) => addressKey(fields.to.address) !== address);
        if (others.length === mails.length) continue;
        // Publish before discarding: twice is better than never.
        for (const other of others)
          await broker.publish(
            queue,
            wholeMessage(other.id, [JSON.stringify(other)], {
              owner: headers['pismak-owner'] ?? other.owner,
              lane,
            }),
          );
        offset -= await broker.discard(queue, [id]);
        discarded += mails.length - others.length;
      }
    }
  }
  return discarded;
}

function wholeMailsOf(body: Uint8Array) {
  try {
    const message = readMailMessage(body);
    return 'mails' in message ? message.mails : [];
  } catch {
    // Not a mail.
    return [];
  }
}

/**
 * Campaigns whose files name the address. Files can't be changed while a campaign reads them; they are deleted once all mails
 * are made.
 */
async function campaignsNaming(
  parts: ErasingEngine,
  address: string,
  signal: AbortSignal,
): Promise<string[]> {
  const rows = await mailQueries(parts)
    .selectFrom('mail_campaign')
    .selectAll()
    .where('state', 'in', ['ready', 'running', 'paused'])
    .execute();
  const naming: string[] = [];
  for (const campaign of rows.map(toCampaign)) {
    // All mails are made, and the files deleted.
    if (campaign.source >= campaign.sources.length) continue;
    for (const source of campaign.sources)
      if ('blob' in source && (await isNamedIn(readAudience(parts, source), address, signal))) {
        naming.push(`${campaign.name} of ${campaign.owner}`);
        break;
      }
    if (naming.length >= mostCampaigns) break;
  }
  return naming;
}

async function isNamedIn(
  audience: AsyncIterable<Person[]>,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for await (const people of audience) {
      signal.throwIfAborted();
      if (people.some(({ email }) => addressIn(email) === address)) return true;
    }
  } catch (error) {
    // No campaign can read the rest either.
    if (!hasCode(error, 'invalid-input') && !hasCode(error, 'blob-missing')) throw error;
  }
  return false;
}

function addressIn(email: unknown): string | undefined {
  try {
    return addressKey(parseContact(String(email ?? '')).address);
  } catch {
    return undefined;
  }
}

/** Deletes mails and campaigns that ended before this time, with audiences and attachments. Resolves to the number of mails. */
export async function eraseEnded(parts: MailStore, before: number, signal: AbortSignal): Promise<number> {
  const queries = mailQueries(parts);
  let total = await inSteps(signal, () =>
    deleteMails(parts, () =>
      queries
        .selectFrom('mail_mail')
        .select('id')
        .where('campaign', '=', '')
        .where('createdAt', '<', before)
        .where('changedAt', '<', before)
        .where('state', 'in', [...endedStates, 'unknown'])
        .limit(mailsPerStep)
        .execute(),
    ),
  );
  const campaigns = await queries
    .selectFrom('mail_campaign')
    .select('id')
    .where('endedAt', '<', before)
    .execute();
  for (const { id } of campaigns) {
    total += await inSteps(signal, () =>
      deleteMails(parts, () =>
        queries.selectFrom('mail_mail').select('id').where('campaign', '=', id).limit(mailsPerStep).execute(),
      ),
    );
    if (signal.aborted) return total;
    await mailDatabase(parts).transaction(async (transaction) => {
      await giveUp(transaction, audienceOwner(id), parts.clock.now());
      await transaction.deleteFrom('mail_reply').where('campaign', '=', id).execute();
      await transaction.deleteFrom('mail_campaign').where('id', '=', id).execute();
    });
  }
  await queries.deleteFrom('mail_request').where('createdAt', '<', before).execute();
  return total;
}

async function deleteMails(parts: MailStore, find: () => Promise<{ id: string }[]>): Promise<number> {
  const ids = (await find()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await mailDatabase(parts).transaction(async (transaction) => {
    const withFiles = await transaction
      .selectFrom('mail_mail')
      .select('id')
      .where('id', 'in', ids)
      .where('fields', 'like', '%"attachments"%')
      .execute();
    for (const { id } of withFiles) await giveUp(transaction, blobOwner(id), parts.clock.now());
    await transaction.deleteFrom('mail_file').where('mail', 'in', ids).execute();
    await transaction.deleteFrom('mail_request').where('mail', 'in', ids).execute();
    await transaction.deleteFrom('mail_mail').where('id', 'in', ids).execute();
  });
  return ids.length;
}

/** Works in steps, so that others can write in between. */
async function inSteps(signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    total += count;
    if (count < mailsPerStep || signal.aborted) return total;
  }
}
