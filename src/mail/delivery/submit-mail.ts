import { checkMayUse, putsAreUsed } from '../../engine/blob-owners/blob-access.ts';
import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Role } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { sectionOf } from '../../engine/house.ts';
import { allowedPath, checkAttachments } from '../compose/load-attachment.ts';
import { type MailRow, mailDatabase } from '../database/tables.ts';
import { addressKey, domainOf } from '../model/address.ts';
import { checkDesign } from '../model/design.ts';
import { checkMail, type MailFields } from '../model/mail.ts';
import { classesOf, type MailClass, mailSection, queueOf } from '../settings/settings.ts';
import { findType, type TypeVersion } from '../types/mail-types.ts';
import { countMails } from './count-mails.ts';
import { byIds } from './mail-message.ts';

type SubmittingEngine = Pick<
  Engine,
  'backlog' | 'blobs' | 'clock' | 'database' | 'events' | 'houses' | 'settings'
>;

export interface SubmitOptions {
  owner: { name: string; role?: Role };
  /** Idempotency key: a second mail with the same key returns the first. */
  key?: string | undefined;
  notBefore?: number | undefined;
  /** Version of the type; the current one by default. */
  version?: number | undefined;
  /** Overrides the lane of the type and the class. */
  lane?: 'high' | 'normal' | undefined;
}

/** Stores and queues a mail in one transaction. */
export async function submitMail(
  parts: SubmittingEngine,
  input: unknown,
  { owner, key, notBefore, version, lane }: SubmitOptions,
): Promise<{ id: string; isNew: boolean }> {
  const fields = checkMail(input);
  const first = key === undefined ? undefined : await mailOfKey(mailDatabase(parts).query, owner.name, key);
  if (first !== undefined) return { id: first, isNew: false };
  const type = await findType(parts, fields.type, version);
  checkSender(owner, fields, type);
  checkDesign(type, fields.design);
  const mailClass = classOf(parts, type);
  const settings = sectionOf(parts.settings, mailSection);
  const { attachments = [] } = fields;
  const blobs = attachments.flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
  // Check access before size: blobs of others must look missing.
  for (const hash of blobs) await checkMayUse(parts, parts.database.query, owner, hash);
  const attached = await checkAttachments(parts, settings, attachments, type.attachments);
  const files = await Promise.all(
    attachments.flatMap(({ path, deleteAfterSend }) =>
      path !== undefined && deleteAfterSend ? [allowedPath(settings, path)] : [],
    ),
  );
  const now = parts.clock.now();
  const row = rowOf(
    { id: newId(parts.clock), owner: owner.name, now: Math.max(now, notBefore ?? 0) },
    type,
    mailClass,
    fields,
  );
  const answer = await mailDatabase(parts).transaction(async (transaction) => {
    if (key !== undefined) {
      const { mail, isNew } = await claimKey(transaction, {
        owner: owner.name,
        key,
        mail: row.id,
        createdAt: now,
      });
      if (!isNew) return { id: mail, isNew };
    }
    await countMails(parts, transaction, owner, {
      mails: 1,
      bytes: attached + Buffer.byteLength(row.fields),
    });
    for (const hash of blobs) await checkMayUse(parts, transaction, owner, hash);
    await ownAll(transaction, blobs, blobOwner(row.id), now);
    await putsAreUsed(transaction, blobs, owner.name);
    await transaction.insertInto('mail_mail').values(row).execute();
    for (const path of new Set(files))
      await transaction.insertInto('mail_file').values({ path, mail: row.id }).execute();
    await parts.backlog.add(transaction, [
      {
        queue: queueOf(row.class),
        owner: owner.name,
        batch: `mail/${row.id}`,
        message: byIds([row.id], owner.name, lane ?? type.priority ?? mailClass.lane),
        // Relays may hold it. A relay that can't returns it.
        ...(notBefore !== undefined && !mailClass.holdAtRelay && { notBefore }),
      },
    ]);
    return { id: row.id, isNew: true };
  });
  parts.backlog.wake();
  if (answer.isNew)
    parts.events.emit({
      kind: 'mail.queued',
      entity: answer.id,
      user: owner.name,
      at: now,
      dimensions: { type: type.code, class: row.class },
    });
  return answer;
}

/** Mails are signed for the domain of their sender, so users may choose another mailbox of the type's domain only. */
function checkSender({ role }: SubmitOptions['owner'], { sender }: MailFields, type: TypeVersion): void {
  if (!sender || role === undefined || role === 'admin') return;
  const domain = domainOf(type.sender.address);
  if (domainOf(sender.address) === domain) return;
  throw new PismakError(
    'forbidden',
    `only administrators may send ${type.code} from a domain other than ${domain}`,
  );
}

/** The owner under which a mail's blobs are kept. */
export function blobOwner(mail: string): string {
  return `mail:${mail}`;
}

export function classOf(
  parts: Pick<Engine, 'settings'>,
  type: Pick<TypeVersion, 'class' | 'code'>,
): MailClass {
  const classes = classesOf(sectionOf(parts.settings, mailSection));
  const found = classes.get(type.class);
  if (found) return found;
  throw new PismakError(
    'invalid-input',
    `mail type ${type.code} has class ${type.class}, but the classes are ${[...classes.keys()].join(', ')} (settings mail.classes)`,
  );
}

export function rowOf(
  { id, owner, now }: { id: string; owner: string; now: number },
  type: TypeVersion,
  mailClass: MailClass,
  fields: MailFields,
): MailRow {
  return {
    id,
    owner,
    type: type.code,
    version: type.version,
    class: type.class,
    recipient: addressKey(fields.to.address),
    fields: JSON.stringify(fields),
    language: fields.language ?? type.language,
    state: 'waiting',
    attempts: 0,
    takes: 0,
    unknowns: 0,
    campaign: '',
    variant: '',
    createdAt: now,
    notAfter: now + (type.ttlMs ?? mailClass.ttlMs),
    changedAt: now,
    sentAt: null,
    relay: '',
    answer: '',
  };
}

type Claim = { owner: string; key: string; mail: string; createdAt: number };

async function claimKey(
  transaction: ReturnType<typeof mailDatabase>['query'],
  claim: Claim,
): Promise<{ mail: string; isNew: boolean }> {
  const inserted = await transaction
    .insertInto('mail_request')
    .values(claim)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (Number(inserted.numInsertedOrUpdatedRows ?? 0) > 0) return { mail: claim.mail, isNew: true };
  const first = await mailOfKey(transaction, claim.owner, claim.key);
  return { mail: first ?? claim.mail, isNew: false };
}

async function mailOfKey(
  queries: ReturnType<typeof mailDatabase>['query'],
  owner: string,
  key: string,
): Promise<string | undefined> {
  const row = await queries
    .selectFrom('mail_request')
    .select('mail')
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.mail;
}
