import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Engine } from '../../engine/composition/engine.ts';
import { mailQueries } from '../database/tables.ts';

const signatureBytes = 16;

/**
 * Tokens of links in mails: the mail's id and a signature of 128 bits. They need no row, so mails that are not in the database
 * have them as well.
 */
export interface Tokens {
  of(mail: string): string;
  /** The id of the mail, or undefined if the token is not ours. */
  read(token: string): string | undefined;
  /** Tag of a mail's bounce address. Short: a local part may have 64 characters. */
  bounceTag(mail: string): string;
  /** The id of the mail, or undefined if the tag is not ours. Ignores case, which servers may change. */
  readBounce(tag: string): string | undefined;
  /** Tag of the address that unsubscribes the recipient of a mail. */
  unsubscribeTag(mail: string): string;
  readUnsubscribe(tag: string): string | undefined;
}

export async function openTokens(engine: Pick<Engine, 'database'>): Promise<Tokens> {
  const queries = mailQueries(engine);
  const fresh = { name: 'links', value: randomBytes(32).toString('hex') };
  await queries
    .insertInto('mail_secret')
    .values(fresh)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await queries
    .selectFrom('mail_secret')
    .select('value')
    .where('name', '=', 'links')
    .executeTakeFirstOrThrow();
  return tokensOf(Buffer.from(value, 'hex'));
}

export function tokensOf(bytes: Buffer): Tokens {
  // Making a key object for each mail would cost more than the signature.
  const secret = createSecretKey(bytes);
  const sign = (mail: string) =>
    createHmac('sha256', secret).update(mail).digest().subarray(0, signatureBytes);
  const tag = (use: string, mail: string) =>
    createHmac('sha256', secret).update(`${use} ${mail}`).digest('hex').slice(0, 8);
  const readTag = (use: string, text: string) => {
    const [mail = '', signature = ''] = text.toLowerCase().split('.');
    const said = Buffer.from(signature);
    return said.length === 8 && timingSafeEqual(said, Buffer.from(tag(use, mail))) ? mail : undefined;
  };
  return {
    bounceTag: (mail) => `${mail}.${tag('bounce', mail)}`,
    readBounce: (text) => readTag('bounce', text),
    unsubscribeTag: (mail) => `${mail}.${tag('unsubscribe', mail)}`,
    readUnsubscribe: (text) => readTag('unsubscribe', text),
    of: (mail) => Buffer.concat([sign(mail), Buffer.from(mail)]).toString('base64url'),
    read(token) {
      if (token.length > 200) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      const mail = bytes.subarray(signatureBytes).toString();
      if (bytes.length <= signatureBytes) return undefined;
      return timingSafeEqual(bytes.subarray(0, signatureBytes), sign(mail)) ? mail : undefined;
    },
  };
}
