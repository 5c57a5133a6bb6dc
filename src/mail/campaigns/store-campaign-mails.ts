import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Queries } from '../../engine/database/database.ts';
import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { insertMany } from '../database/many-rows.ts';
import { type MailTables, mailDatabase } from '../database/tables.ts';
import { countMails } from '../delivery/count-mails.ts';
import { byIds, mailsPerMessage } from '../delivery/mail-message.ts';
import { queueOf } from '../settings/settings.ts';
import { audienceOwner, type Campaign } from './campaign.ts';
import { type CampaignMail, type Recipe, sharedColumns } from './campaign-mails.ts';

/**
 * How far the audience has been read: `position` within the source; `read` in total, counting people again who were read again.
 */
export type Reached = Pick<Campaign, 'source' | 'position' | 'read'>;

export interface MadeMails {
  mails: readonly CampaignMail[];
  people: number;
  /** People who already have a mail of this campaign. */
  repeated: number;
  /** People who can't get a mail. */
  refused: number;
}

const columns = ['id', 'recipient', 'fields', 'language'] as const;

/** Resolves to the state of the campaign. */
export async function storeMails(
  parts: Pick<Engine, 'backlog' | 'clock' | 'database' | 'settings'>,
  campaign: Campaign,
  recipes: readonly Recipe[],
  { mails, repeated, refused }: MadeMails,
  { before, after }: { before: Reached; after: Reached },
): Promise<string> {
  const database = mailDatabase(parts);
  const now = parts.clock.now();
  const state = await database.transaction(async (transaction) => {
    const moved = await transaction
      .updateTable('mail_campaign')
      .set(({ eb }) => ({
        ...after,
        problem: '',
        generated: eb('generated', '+', mails.length),
        repeated: eb('repeated', '+', repeated),
        refused: eb('refused', '+', refused),
      }))
      .where('id', '=', campaign.id)
      .where('source', '=', before.source)
      .where('read', '=', before.read)
      .where('state', '<>', 'cancelled')
      // Read within the transaction, so that no pause is missed.
      .returning('state')
      .executeTakeFirst();
    if (!moved) return stateInstead(transaction, campaign);
    const groups = Map.groupBy(mails, ({ recipe }) => recipe);
    for (const [recipe, some] of groups)
      await insertMany(
        database.dialect,
        columns,
        some,
        sharedColumns(campaign, recipes, recipe, now),
      ).execute(transaction);
    const owner = { name: campaign.owner, role: campaign.isLimited ? ('user' as const) : ('admin' as const) };
    const bytes = mails.reduce((sum, { fields }) => sum + Buffer.byteLength(fields), 0);
    if (mails.length > 0) await countMails(parts, transaction, owner, { mails: mails.length, bytes });
    const paused = campaign.isHeld || moved.state !== 'running';
    const items = [...groups].flatMap(([{ type, mailClass }, some]) =>
      [...chunks(some, mailsPerMessage)].map((group) => ({
        queue: queueOf(type.class),
        owner: campaign.owner,
        batch: campaign.id,
        paused,
        message: byIds(
          group.map(({ id }) => id),
          campaign.owner,
          mailClass.lane,
        ),
        // Relays may hold them until then. A relay that can't returns them.
        ...(campaign.startAt > now && !mailClass.holdAtRelay && { notBefore: campaign.startAt }),
      })),
    );
    await parts.backlog.add(transaction, items);
    // The audience is not read again, and is full of addresses.
    if (after.source >= campaign.sources.length) await giveUp(transaction, audienceOwner(campaign.id), now);
    return moved.state;
  });
  parts.backlog.wake();
  return state;
}

/**
 * Why the campaign could not be updated: it was cancelled, or another process generates it because one of us was taken for
 * dead.
 */
async function stateInstead(queries: Queries<MailTables>, { id, name }: Campaign): Promise<string> {
  const row = await queries
    .selectFrom('mail_campaign')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row && row.state !== 'cancelled')
    throw new PismakError('hold-lost', `another process is generating the mails of campaign ${name}`);
  return 'cancelled';
}
