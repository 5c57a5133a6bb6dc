import { addressKey, type Contact } from '../model/address.ts';
import type { MailFields } from '../model/mail.ts';

/** A mail that is a copy (bcc) of another mail. */
export interface MailCopy {
  to: string;
  /** Id of the original. */
  of: string;
}
const copyField = 'pismak:copy';

export function copyIn(fields: MailFields): MailCopy | undefined {
  return fields[copyField] as MailCopy | undefined;
}

/** The fields of a copy of a mail. */
export function copyFields({ id, parsed }: { id: string; parsed: MailFields }, to: string): MailFields {
  const copy: MailCopy = { to, of: id };
  return { ...parsed, [copyField]: copy };
}

/** Addresses that get a copy, each once. */
export function copiesTo(ofType: readonly Contact[], ofMail: readonly Contact[] = []): string[] {
  if (ofType.length + ofMail.length === 0) return [];
  const all = [...ofType, ...ofMail].map(({ address }) => address);
  return [...new Map(all.map((address) => [addressKey(address), address])).values()];
}
