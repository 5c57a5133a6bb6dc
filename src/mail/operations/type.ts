import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { base, page } from '../../engine/operation/operations/inputs.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { withoutDefaults } from '../../engine/operation/without-defaults.ts';
import { formatContact } from '../model/address.ts';
import { type Attachment, typeAttachment } from '../model/attachment.ts';
import { designNames } from '../model/design.ts';
import { headerText, language, typeCode } from '../model/mail-type.ts';
import { mailSection } from '../settings/settings.ts';
import type { TypeVersion } from '../types/mail-types.ts';
import { checkClass } from './check-class.ts';

const longestTemplate = 512 * 1024;
const address = z.string().min(1).max(600);

const definition = {
  code: typeCode.describe('Code of the mail type, unique'),
  sender: address.describe('Sender: shop@example.org or "Shop <shop@example.org>"'),
  subject: headerText.describe('Subject, a Liquid template: Order {{ number }}'),
  template: z.string().min(1).max(longestTemplate).describe('The mail: MJML or HTML with Liquid'),
  text: z
    .string()
    .max(longestTemplate)
    .optional()
    .describe('The text part, instead of the one derived from the template'),
  name: z.string().max(200).default('').describe('Display name'),
  class: z
    .string()
    .max(31)
    .default('transactional')
    .describe('Class: transactional, bulk, or one from the settings'),
  ttlMs: z.int().positive().optional().describe('Time to live in milliseconds, instead of the class’s'),
  priority: z.enum(['high', 'normal']).optional().describe('Lane, instead of the class’s'),
  bcc: z.array(address).max(20).default([]).describe('Addresses that get a copy of every mail'),
  attachments: z
    .array(typeAttachment)
    .max(50)
    .default([])
    .describe('Files in every mail: name, and path or blob'),
  prepare: z
    .string()
    .max(60)
    .optional()
    .describe('Module of the settings (mail.prepare) that completes the data of each mail'),
  language: language.default('en').describe('Language that the template is written in'),
  translations: z
    .record(language, z.record(z.string(), z.union([z.string(), z.array(z.string()).max(6)])))
    .default({})
    .describe(
      'Per language, texts and translations: {"cs": {"Hello": "Dobrý den"}}; a list has the plural forms',
    ),
  designs: z
    .record(z.string().max(253), z.record(z.string(), z.unknown()))
    .default({})
    .describe(
      'Per domain, the values of `design` in templates: {"shop.cz": {"logo": "..."}}; "" is for mails without a design',
    ),
  fields: z.record(z.string(), z.unknown()).default({}).describe('Your own fields, stored with the type'),
};

/** No checks and defaults: stored types are valid. */
const typeRow = z.strictObject({
  code: z.string(),
  version: z.int(),
  name: z.string(),
  class: z.string(),
  language: z.string(),
  sender: z.string(),
  subject: z.string(),
  template: z.string(),
  text: z.string().optional(),
  ttlMs: z.int().optional(),
  priority: z.enum(['high', 'normal']).optional(),
  prepare: z.string().optional(),
  bcc: z.array(z.string()),
  attachments: z.array(z.record(z.string(), z.unknown())),
  translations: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())]))),
  designs: z.record(z.string(), z.record(z.string(), z.unknown())),
  fields: z.record(z.string(), z.unknown()),
});
const example = {
  code: 'order',
  sender: 'shop@example.org',
  subject: 'Order {{ number }}',
  template: '<p>Thank you for order {{ number }}.</p>',
};
const administrators = {
  role: 'admin',
  owner: 'none',
  changes: true,
  stores: true,
  bodyLimit: 4 * 1024 * 1024,
} as const;

export const typeCreate = defineOperation({
  ...administrators,
  name: 'mailtype.create',
  summary: 'Create a mail type: sender, subject, template and class of all mails of one kind',
  input: z.strictObject(definition),
  output: typeRow,
  example,
  async handler({ engine, caller }, input) {
    const { storeType } = await import('../types/mail-types.ts');
    checkPrepare(engine, input.prepare);
    checkClass(engine, input.class);
    await checkFiles(engine, input.attachments);
    const stored = await storeType(engine, input, { uploader: caller.name });
    engine.changes.add({ kind: 'mailtype', entity: stored.code });
    return toRow(stored);
  },
});

export const typeUpdate = defineOperation({
  ...administrators,
  name: 'mailtype.update',
  summary: 'Change a mail type: the given fields are replaced. Waiting mails keep their version',
  input: z.strictObject({
    code: definition.code,
    ...withoutDefaults(z.strictObject(definition).omit({ code: true })),
    base,
  }),
  output: typeRow,
  example: { code: 'order', subject: 'Your order {{ number }}' },
  async handler({ engine, caller }, { code, base, ...changes }) {
    const { findType, storeType } = await import('../types/mail-types.ts');
    checkPrepare(engine, changes.prepare);
    if (changes.class !== undefined) checkClass(engine, changes.class);
    await checkFiles(engine, changes.attachments);
    const { version: _, ...now } = await findType(engine, code);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw new PismakError(
        'invalid-input',
        `name what to change of mail type ${code}, for example its subject`,
      );
    const type = { ...now, ...Object.fromEntries(given) };
    const stored = await storeType(engine, type, { replace: true, uploader: caller.name, base });
    engine.changes.add({ kind: 'mailtype', entity: code });
    return toRow(stored);
  },
});

export const typeShow = defineOperation({
  name: 'mailtype.show',
  summary: 'Show a mail type with its template',
  role: 'user',
  owner: 'none',
  changes: false,
  input: z.strictObject({ code: typeCode, version: z.int().min(1).optional().describe('An older version') }),
  output: typeRow,
  example: { code: 'order' },
  async handler({ engine }, { code, version }) {
    const { findType } = await import('../types/mail-types.ts');
    return toRow(await findType(engine, code, version));
  },
});

export const typeList = defineOperation({
  name: 'mailtype.ls',
  summary: 'List the mail types',
  role: 'user',
  owner: 'none',
  changes: false,
  input: z.strictObject({ limit: page.limit }),
  output: z.strictObject({
    types: z.array(
      z.strictObject({
        code: z.string(),
        name: z.string(),
        class: z.string(),
        sender: z.string(),
        subject: z.string(),
        version: z.int(),
        languages: z.array(z.string()),
        createdAt: z.number(),
        designs: z.array(z.string()),
      }),
    ),
  }),
  example: {},
  async handler({ engine }, { limit }) {
    const { listTypes } = await import('../types/mail-types.ts');
    const types = await listTypes(engine, limit);
    return {
      types: types.map(
        ({
          code,
          name,
          class: className,
          sender,
          subject,
          version,
          language,
          translations,
          designs,
          createdAt,
        }) => ({
          code,
          name,
          class: className,
          sender: formatContact(sender),
          subject,
          version,
          createdAt: Number(createdAt),
          languages: [...new Set([language, ...Object.keys(translations)])],
          designs: designNames(designs),
        }),
      ),
    };
  },
});

export const typeDelete = defineOperation({
  name: 'mailtype.delete',
  summary: 'Delete a mail type; its mails stay, and waiting ones are sent',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({ code: typeCode }),
  output: done,
  example: { code: 'order' },
  async handler({ engine }, { code }) {
    const { removeType } = await import('../types/mail-types.ts');
    await removeType(engine, code);
    engine.changes.add({ kind: 'mailtype', entity: code, data: { deleted: true } });
    return {};
  },
});

function checkPrepare({ settings }: Pick<Engine, 'settings'>, name: string | undefined): void {
  const { prepare } = sectionOf(settings, mailSection);
  if (name === undefined || Object.hasOwn(prepare, name)) return;
  const known = Object.keys(prepare).join(', ') || 'none';
  throw new PismakError(
    'invalid-input',
    `there is no module ${name} in mail.prepare of the settings; known: ${known}`,
  );
}

async function checkFiles(engine: Engine, attachments: readonly Attachment[] = []): Promise<void> {
  const { checkAttachments } = await import('../compose/load-attachment.ts');
  await checkAttachments(engine, sectionOf(engine.settings, mailSection), attachments);
}

function toRow(type: TypeVersion): z.output<typeof typeRow> {
  return typeRow.parse({
    fields: {},
    ...Object.fromEntries(Object.entries(type).filter(([name]) => name in typeRow.shape)),
    sender: formatContact(type.sender),
    bcc: type.bcc.map(formatContact),
  });
}
