import { hash } from 'node:crypto';
import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode, messageOf, PismakError } from '../../engine/ground/errors.ts';
import { classOf } from '../delivery/submit-mail.ts';
import { addressKey, parseContact } from '../model/address.ts';
import { longestDataBytes } from '../model/mail.ts';
import { language as languageTag } from '../model/mail-type.ts';
import type { MailClass } from '../settings/settings.ts';
import { findType, type TypeVersion } from '../types/mail-types.ts';
import type { Campaign } from './campaign.ts';
import { keyDigits } from './people-on-disk.ts';
import type { Person } from './read-audience.ts';

/** A mail type, and the share of the audience that gets it. */
export interface Recipe {
  type: TypeVersion;
  mailClass: MailClass;
  /** The end of its share, between 0 and 1. */
  until: number;
}

export async function recipesOf(
  parts: Pick<Engine, 'database' | 'settings'>,
  campaign: Campaign,
): Promise<Recipe[]> {
  const variants =
    campaign.variants.length > 0
      ? campaign.variants
      : [{ type: campaign.type, version: campaign.version, share: 1 }];
  const sum = variants.reduce((total, { share }) => total + share, 0);
  let until = 0;
  const recipes: Recipe[] = [];
  for (const { type: code, version, share } of variants) {
    until += share / sum;
    const type = await findType(parts, code, version);
    recipes.push({ type, mailClass: classOf(parts, type), until });
  }
  return recipes;
}

/** What differs from mail to mail of a campaign. */
export interface CampaignMail {
  id: string;
  /** The same for every mail of the campaign to this address. */
  key: string;
  recipe: Recipe;
  recipient: string;
  fields: string;
  language: string;
}

/**
 * The mail for the person with this number in the audience. Undefined if the address is invalid or the data exceeds the limit.
 */
export function mailFor(
  campaign: Campaign,
  recipes: readonly Recipe[],
  { email, ...data }: Person,
  number: number,
): CampaignMail | undefined {
  try {
    const to = parseContact(String(email ?? ''));
    const recipient = addressKey(to.address);
    const digest = hash('sha256', `${campaign.id}\n${recipient}`, 'hex');
    // The share follows from the address as well, so a person always gets the same variant.
    const chance = Number.parseInt(digest.slice(40, 52), 16) / 2 ** 48;
    const recipe = recipes.find(({ until }) => chance < until) ?? (recipes.at(-1) as Recipe);
    const { type } = recipe;
    const spoken =
      typeof data.language === 'string' && languageTag.safeParse(data.language).success
        ? data.language
        : undefined;
    const fields = JSON.stringify({
      type: type.code,
      to,
      data,
      ...(spoken !== undefined && { language: spoken }),
      ...(campaign.design !== '' && { design: campaign.design }),
    });
    if (fields.length > longestDataBytes) return undefined;
    const key = digest.slice(0, keyDigits);
    return {
      id: idOf(campaign, number, key),
      key,
      recipe,
      recipient,
      fields,
      language: spoken ?? type.language,
    };
  } catch (error) {
    if (hasCode(error, 'invalid-input')) return undefined;
    throw new PismakError(
      'internal',
      `a mail of campaign ${campaign.name} could not be made: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

const numberDigits = 7;

/**
 * Ids follow the order of the audience: mails that are made, taken and recorded together lie together in the database. The key
 * makes an id as hard to guess as a random one.
 */
function idOf(campaign: Campaign, number: number, key: string): string {
  return `${idPrefix(campaign)}-${number.toString(36).padStart(numberDigits, '0')}${key}`;
}

/** The prefix of all ids of a campaign. */
export function idPrefix({ id }: Campaign): string {
  return id.slice(-12);
}

export function keyOf(id: string): string {
  return id.slice(-keyDigits);
}

/** What the mails of a recipe have in common. */
export function sharedColumns(
  campaign: Campaign,
  recipes: readonly Recipe[],
  { type, mailClass }: Recipe,
  now: number,
) {
  const createdAt = Math.max(now, campaign.startAt);
  return {
    owner: campaign.owner,
    type: type.code,
    version: type.version,
    class: type.class,
    state: 'waiting' as const,
    campaign: campaign.id,
    variant: recipes.length > 1 ? type.code : '',
    createdAt,
    notAfter: createdAt + (type.ttlMs ?? mailClass.ttlMs),
    changedAt: createdAt,
  };
}
