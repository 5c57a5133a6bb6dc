import { checkMayUse, putsAreUsed } from '../../engine/blob-owners/blob-access.ts';
import { disown, ownAll } from '../../engine/blob-owners/blob-owners.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { stateOf } from '../../engine/house.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { classOf } from '../delivery/submit-mail.ts';
import { checkDesign } from '../model/design.ts';
import { OpenMail } from '../opened/open-mail.ts';
import { findType } from '../types/mail-types.ts';
import {
  type AudienceSource,
  audienceOwner,
  type Campaign,
  getOwnCampaign,
  releaseCampaign,
  setCampaignState,
  storedAudience,
  tellCampaign,
  toCampaign,
} from './campaign.ts';
import { readAudience } from './read-audience.ts';

export interface NewCampaign {
  name: string;
  type: string;
  audience: AudienceSource[];
  variants: { type: string; share: number }[];
  design: string;
  after: string;
}

export async function createCampaign(engine: Engine, caller: Caller, input: NewCampaign): Promise<Campaign> {
  const type = await findType(engine, input.type);
  classOf(engine, type);
  checkDesign(type, input.design);
  const variants = await Promise.all(
    input.variants.map(async ({ type: code, share }) => {
      const other = await findType(engine, code);
      checkDesign(other, input.design);
      return { type: code, version: other.version, share };
    }),
  );
  const after = input.after === '' ? '' : (await getOwnCampaign(engine, input.after, caller)).id;
  const now = engine.clock.now();
  const id = newId(engine.clock);
  const hashes = input.audience.flatMap((source) => ('blob' in source ? [source.blob] : []));
  if (hashes.length < input.audience.length && caller.role !== 'admin')
    throw new PismakError('forbidden', 'only administrators may use the audiences of the settings');
  for (const hash of hashes) await checkMayUse(engine, engine.database.query, caller, hash);
  for (const source of input.audience) await checkHead(engine, source);
  const row = {
    id,
    owner: caller.name,
    name: input.name,
    type: type.code,
    version: type.version,
    state: 'ready',
    audience: storedAudience({
      sources: input.audience,
      variants,
      design: input.design,
      isHeld: false,
      isLimited: caller.role !== 'admin',
    }),
    source: 0,
    position: 0,
    read: 0,
    generated: 0,
    repeated: 0,
    refused: 0,
    startAt: 0,
    after,
    problem: '',
    createdAt: now,
    startedAt: null,
    endedAt: null,
  };
  try {
    await mailDatabase(engine).transaction(async (transaction) => {
      await transaction.insertInto('mail_campaign').values(row).execute();
      await ownAll(transaction, hashes, audienceOwner(id), now);
      await putsAreUsed(transaction, hashes, caller.name);
    });
  } catch (error) {
    if (hasCode(error, 'constraint-violated'))
      throw new PismakError('already-exists', `you have a campaign ${input.name} already`, { cause: error });
    throw error;
  }
  tellCampaign(engine, row);
  return toCampaign(row);
}

export async function startCampaign(
  engine: Engine,
  campaign: Campaign,
  { at, generateOnly }: { at?: number | undefined; generateOnly: boolean },
): Promise<void> {
  const startAt = at ?? 0;
  const now = engine.clock.now();
  if (campaign.state === 'held' && !generateOnly) {
    // Its mails exist. The campaign service releases those with a later date when it has come.
    if (startAt > now) await setCampaignState(engine, campaign, ['held'], { state: 'held', startAt });
    else await releaseCampaign(engine, campaign);
  } else {
    const audience = storedAudience({ ...campaign, isHeld: generateOnly });
    await setCampaignState(engine, campaign, ['ready'], {
      state: 'running',
      audience,
      startAt,
      startedAt: now,
    });
  }
  stateOf(engine, OpenMail).campaigns.wake();
}

export async function cancelCampaign(engine: Engine, campaign: Campaign): Promise<number> {
  await setCampaignState(engine, campaign, ['ready', 'running', 'held', 'paused', 'failed'], {
    state: 'cancelled',
    endedAt: engine.clock.now(),
  });
  await engine.backlog.cancel(campaign.id);
  const queries = mailQueries(engine);
  let total = 0;
  for (;;) {
    const some = queries
      .selectFrom('mail_mail')
      .select('id')
      .where('campaign', '=', campaign.id)
      .where('state', 'in', ['waiting', 'deferred'])
      .limit(5000);
    const result = await queries
      .updateTable('mail_mail')
      .set({ state: 'cancelled', changedAt: engine.clock.now(), answer: 'the campaign was cancelled' })
      .where('id', 'in', some)
      .executeTakeFirst();
    total += Number(result.numUpdatedRows);
    if (Number(result.numUpdatedRows) === 0) break;
  }
  await disown(queries, audienceOwner(campaign.id));
  tellCampaign(engine, campaign);
  return total;
}

/** Refuses an audience without addresses before anything is sent. A query may return no rows yet. */
async function checkHead(engine: Engine, source: AudienceSource): Promise<void> {
  for await (const [person = {}] of readAudience(engine, source)) {
    if (Object.hasOwn(person, 'email')) return;
    throw new PismakError(
      'invalid-input',
      `the audience has no column email; it has ${Object.keys(person).slice(0, 20).join(', ')}`,
    );
  }
  if ('blob' in source) throw new PismakError('invalid-input', 'a file of the audience has no people');
}
