import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { type CampaignRow, mailQueries } from '../database/tables.ts';

/** `ready` has not been started; `running` generates, sends or both; `held` has all its mails and waits for its release. */
export const campaignStates = ['ready', 'running', 'held', 'paused', 'done', 'cancelled', 'failed'] as const;
export type CampaignState = (typeof campaignStates)[number];

/** Where recipients come from. */
export const audienceSource = z.union([
  z.strictObject({
    blob: z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of an upload'),
    format: z.enum(['csv', 'ndjson']),
  }),
  /** A query of the settings. */
  z.strictObject({ table: z.string() }),
]);
export type AudienceSource = z.output<typeof audienceSource>;

export interface Campaign extends Omit<CampaignRow, 'audience' | 'state'> {
  state: CampaignState;
  sources: AudienceSource[];
  /** Mail types with their shares of the audience: 20 % get `news-b`. */
  variants: Variant[];
  /** Design of the types; empty = the default. */
  design: string;
  /** Generate all mails first, and send none before `release`. */
  isHeld: boolean;
  /** Its mails count against its owner's limit per month. */
  isLimited: boolean;
}

export const variant = z.strictObject({ type: z.string(), version: z.int(), share: z.number().positive() });
export type Variant = z.output<typeof variant>;

const audience = z.strictObject({
  sources: z.array(audienceSource),
  variants: z.array(variant).default([]),
  design: z.string().default(''),
  isHeld: z.boolean().default(false),
  isLimited: z.boolean().default(true),
});

export function toCampaign({ audience: stored, state, ...row }: CampaignRow): Campaign {
  const numbers = {
    position: Number(row.position),
    read: Number(row.read),
    generated: Number(row.generated),
    repeated: Number(row.repeated),
    refused: Number(row.refused),
    startAt: Number(row.startAt),
    createdAt: Number(row.createdAt),
    startedAt: asNumber(row.startedAt),
    endedAt: asNumber(row.endedAt),
  };
  return { ...row, ...numbers, state: state as CampaignState, ...audience.parse(JSON.parse(stored)) };
}

export function storedAudience(
  campaign: Pick<Campaign, 'sources' | 'variants' | 'design' | 'isHeld' | 'isLimited'>,
): string {
  const { sources, variants, design, isHeld, isLimited } = campaign;
  return JSON.stringify({ sources, variants, design, isHeld, isLimited });
}

/** Who owns the files of an audience. */
export function audienceOwner(campaign: string): string {
  return `mail-campaign:${campaign}`;
}

/** By id, or by the name that its owner gave it. */
export async function findCampaign(
  engine: Pick<Engine, 'database'>,
  idOrName: string,
  owner: string,
): Promise<Campaign | undefined> {
  const row = await mailQueries(engine)
    .selectFrom('mail_campaign')
    .selectAll()
    .where(({ and, eb, or }) =>
      or([eb('id', '=', idOrName), and([eb('name', '=', idOrName), eb('owner', '=', owner)])]),
    )
    .executeTakeFirst();
  return row && toCampaign(row);
}

export async function getCampaign(
  engine: Pick<Engine, 'database'>,
  idOrName: string,
  owner: string,
): Promise<Campaign> {
  const found = await findCampaign(engine, idOrName, owner);
  if (!found) throw new PismakError('not-found', `there is no campaign ${idOrName}`);
  return found;
}

/** One that the caller may see. */
export async function getOwnCampaign(
  engine: Pick<Engine, 'database'>,
  idOrName: string,
  { name, role }: Pick<Caller, 'name' | 'role'>,
): Promise<Campaign> {
  const campaign = await getCampaign(engine, idOrName, name);
  if (campaign.owner === name || role === 'admin') return campaign;
  throw new PismakError('not-found', `there is no campaign ${idOrName}`);
}

/** Tells those who watch that a campaign has changed or gone on. */
export function tellCampaign(
  { changes }: Pick<Engine, 'changes'>,
  { id, owner }: Pick<Campaign, 'id' | 'owner'>,
): void {
  changes.addJoined({ kind: 'campaign', entity: id, owner });
}

export async function setCampaignState(
  engine: Pick<Engine, 'changes' | 'database'>,
  campaign: Pick<Campaign, 'id' | 'name' | 'owner'>,
  from: readonly CampaignState[],
  change: Partial<CampaignRow> & { state: CampaignState },
): Promise<void> {
  const result = await mailQueries(engine)
    .updateTable('mail_campaign')
    .set(change)
    .where('id', '=', campaign.id)
    .where('state', 'in', from)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) > 0) return tellCampaign(engine, campaign);
  const { state } = await mailQueries(engine)
    .selectFrom('mail_campaign')
    .select('state')
    .where('id', '=', campaign.id)
    .executeTakeFirstOrThrow();
  throw new PismakError(
    'conflict',
    `campaign ${campaign.name} is ${state}; this needs one that is ${from.join(' or ')}`,
  );
}

/** Lets the mails of a held campaign leave. Can be repeated if it fails halfway. */
export async function releaseCampaign(
  parts: Pick<Engine, 'backlog' | 'changes' | 'clock' | 'database'>,
  campaign: Campaign,
): Promise<void> {
  await parts.backlog.resume(campaign.id);
  await setCampaignState(parts, campaign, ['held'], {
    state: 'running',
    audience: storedAudience({ ...campaign, isHeld: false }),
    startedAt: parts.clock.now(),
  });
}

function asNumber(value: number | null): number | null {
  return value === null ? null : Number(value);
}
