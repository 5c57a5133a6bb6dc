import { setImmediate } from 'node:timers/promises';
import { putsAreUsed } from '../../engine/blob-owners/blob-access.ts';
import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { checkBase } from '../../engine/ground/base-version.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { nearestName } from '../../engine/ground/nearest-name.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { type MailType, mailType } from '../model/mail-type.ts';
import type { LaidOut } from '../templates/lay-out.ts';

/** A stored type. It was laid out when it was stored. */
export type TypeVersion = MailType & { version: number; laidOut?: LaidOut | undefined };
type TypeStore = Pick<Engine, 'database' | 'clock'>;

/** Stores a new version of a type; waiting mails keep their version. Without `replace`, the code must be new. */
export async function storeType(
  parts: TypeStore,
  input: unknown,
  {
    replace = false,
    uploader = '',
    base,
  }: { replace?: boolean; uploader?: string; base?: number | undefined } = {},
): Promise<TypeVersion> {
  const { laidOut: _, ...type } = mailType.parse(input);
  const { checkTemplates } = await import('../templates/fair-templates.ts');
  const { layOut } = await import('../templates/lay-out.ts');
  // Refuse templates that do not compile, before a mail needs them. Compile the author's source first, for its line numbers.
  const source = { ...type, laidOut: { html: type.template, text: type.text ?? '' } };
  await checkTemplates(parts.clock, source, [type.language, ...Object.keys(type.translations)]);
  const laidOut = await layOut(type.template, type.code, type.text === undefined);
  await checkTemplates(parts.clock, { ...type, laidOut }, [type.language]);
  const version = await mailDatabase(parts).transaction(async (transaction) => {
    const last = await transaction
      .selectFrom('mail_type')
      .select(['version', 'createdAt'])
      .where('code', '=', type.code)
      .orderBy('version', 'desc')
      .executeTakeFirst();
    const isThere = last !== undefined && (await hasCurrent(transaction, type.code));
    if (isThere && !replace)
      throw new PismakError(
        'already-exists',
        `mail type ${type.code} already exists; change it with \`mail type update\``,
      );
    if (!isThere && replace) throw new PismakError('not-found', `there is no mail type ${type.code}`);
    if (last)
      checkBase(`mail type ${type.code}`, base, {
        version: last.version,
        changedBy: null,
        changedAt: Number(last.createdAt),
      });
    await transaction.updateTable('mail_type').set({ isCurrent: 0 }).where('code', '=', type.code).execute();
    const version = (last?.version ?? 0) + 1;
    await transaction
      .insertInto('mail_type')
      .values({
        code: type.code,
        version,
        definition: JSON.stringify({ ...type, laidOut }),
        createdAt: parts.clock.now(),
        isCurrent: 1,
      })
      .execute();
    // Kept for good, because mails of any version may be sent again.
    const blobs = type.attachments.flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
    await ownAll(transaction, blobs, `mail-type:${type.code}`, parts.clock.now());
    await putsAreUsed(transaction, blobs, uploader);
    return version;
  });
  return { ...type, laidOut, version };
}

async function hasCurrent(queries: ReturnType<typeof mailQueries>, code: string): Promise<boolean> {
  const row = await queries
    .selectFrom('mail_type')
    .select('version')
    .where('code', '=', code)
    .where('isCurrent', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The given version, or the current one. Fails with `not-found`. */
export async function findType(
  parts: Pick<Engine, 'database'>,
  code: string,
  version?: number,
): Promise<TypeVersion> {
  const queries = mailQueries(parts);
  const base = queries.selectFrom('mail_type').selectAll().where('code', '=', code);
  const row = await (version === undefined
    ? base.where('isCurrent', '=', 1)
    : base.where('version', '=', version)
  ).executeTakeFirst();
  if (row) return readType(row);
  if (version !== undefined && (await hasCurrent(queries, code)))
    throw new PismakError('not-found', `mail type ${code} has no version ${version}`);
  const near = nearestName(
    code,
    (await listTypes(parts, 1000)).map((type) => type.code),
  );
  throw new PismakError('not-found', `there is no mail type ${code}${near ? `; did you mean ${near}?` : ''}`);
}

export async function listTypes(
  parts: Pick<Engine, 'database'>,
  limit: number,
): Promise<(TypeVersion & { createdAt: number })[]> {
  const rows = await mailQueries(parts)
    .selectFrom('mail_type')
    .selectAll()
    .where('isCurrent', '=', 1)
    .orderBy('code')
    .limit(limit)
    .execute();
  const types: (TypeVersion & { createdAt: number })[] = [];
  for (const { definition, version, createdAt } of rows) {
    types.push({ ...readType({ definition, version }), createdAt });
    // A definition may have a megabyte.
    await setImmediate();
  }
  return types;
}

/** Hides the type. Its versions stay, for mails that were sent. */
export async function removeType(parts: Pick<Engine, 'database'>, code: string): Promise<void> {
  const result = await mailQueries(parts)
    .updateTable('mail_type')
    .set({ isCurrent: 0 })
    .where('code', '=', code)
    .where('isCurrent', '=', 1)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0)
    throw new PismakError('not-found', `there is no mail type ${code}`);
}

export function readType({ definition, version }: { definition: string; version: number }): TypeVersion {
  // A row of ours: `storeType` added the extra field.
  return { ...mailType.parse(JSON.parse(definition)), version } as TypeVersion;
}
