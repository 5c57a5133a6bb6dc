import { hash } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';
import { hasCode, messageOf, PismakError } from '../../engine/errors.ts';
import type { MailRow } from '../database/tables.ts';
import { classOf, rowOf } from '../delivery/submit-mail.ts';
import { addressKey, parseContact } from '../model/address.ts';
import { longestDataBytes } from '../model/mail.ts';
import { language as languageTag } from '../model/mail-type.ts';
import type { MailClass } from '../settings.ts';
import { findType, type TypeVersion } from '../types/mail-types.ts';
import type { Campaign } from './campaign.ts';
import type { Person } from './read-audience.ts';

/** A type that a share of the audience gets. */
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

/** Undefined if the person can't get a mail: no valid address, or data beyond the limit. */
export function mailOf(
  campaign: Campaign,
  recipes: readonly Recipe[],
  person: Person,
  now: number,
): MailRow | undefined {
  const { email, ...data } = person;
  try {
    const to = parseContact(String(email ?? ''));
    const digest = hash('sha256', `${campaign.id}\n${addressKey(to.address)}`, 'hex');
    // The share, too, follows from the address: a person stays in a variant.
    const chance = Number.parseInt(digest.slice(40, 52), 16) / 2 ** 48;
    const { type, mailClass } = recipes.find(({ until }) => chance < until) ?? (recipes.at(-1) as Recipe);
    const spoken =
      typeof data.language === 'string' && languageTag.safeParse(data.language).success
        ? data.language
        : undefined;
    const fields = { type: type.code, to, data, ...(spoken !== undefined && { language: spoken }) };
    const begin = Math.max(now, campaign.startAt);
    const id = `${campaign.id.slice(-12)}-${digest.slice(0, 32)}`;
    const row = rowOf({ id, owner: campaign.owner, now: begin }, type, mailClass, fields);
    if (row.fields.length > longestDataBytes) return undefined;
    return { ...row, campaign: campaign.id, variant: recipes.length > 1 ? type.code : '' };
  } catch (error) {
    if (hasCode(error, 'invalid-input')) return undefined;
    throw new PismakError(
      'internal',
      `a mail of campaign ${campaign.name} could not be made: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
