import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { stateOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { checkDesign } from '../model/design.ts';
import { language, typeCode } from '../model/mail-type.ts';

const mostTypes = 1000;
const translation = z.union([z.string().max(10_000), z.array(z.string().max(10_000)).max(6)]);

export const typeExtract = defineOperation({
  name: 'mailtype.extract',
  summary: 'All texts of all mail types for translators, with places, context and existing translations',
  role: 'user',
  owner: 'none',
  heavy: 'work',
  changes: false,
  input: z.strictObject({
    language: language.describe('Language to translate into'),
    limit: z.int().min(1).max(5000).default(5000).describe('Maximum number of texts'),
  }),
  output: z.strictObject({
    texts: z.array(
      z.strictObject({
        text: z.string(),
        plural: z.string().optional(),
        places: z.array(z.string()),
        context: z.string().describe('Surrounding line of the template'),
        /** One for each plural form; empty if it is not translated. */
        translations: z.array(z.string()),
      }),
    ),
  }),
  example: { language: 'sk' },
  async handler({ engine }, { language: wanted, limit }) {
    const { extractTexts } = await import('../templates/extract.ts');
    const { listTypes } = await import('../types/mail-types.ts');
    const types = await listTypes(engine, mostTypes);
    const known = Object.assign({}, ...types.map(({ translations }) => translations[wanted] ?? {})) as Record<
      string,
      string | string[]
    >;
    const translated = (text: string) => (Object.hasOwn(known, text) ? [known[text] ?? []].flat() : []);
    const texts = (await extractTexts(types)).slice(0, limit);
    return { texts: texts.map((each) => ({ ...each, translations: translated(each.text) })) };
  },
});

export const typeTranslate = defineOperation({
  name: 'mailtype.translate',
  summary: 'Import translations: every mail type that has such a text gets a new version',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: 300_000,
  changes: true,
  stores: true,
  bodyLimit: 4 * 1024 * 1024,
  input: z.strictObject({
    language: language.describe('Language of the translations'),
    translations: z
      .record(z.string().max(10_000), translation)
      .describe('Text = translation, or the list of its plural forms'),
  }),
  output: z.strictObject({ types: z.array(z.string()), texts: z.int(), unused: z.array(z.string()) }),
  example: { language: 'sk', translations: { Hello: 'Dobrý deň' } },
  async handler({ engine, signal }, { language: wanted, translations }) {
    const { extractTexts } = await import('../templates/extract.ts');
    const { listTypes, storeType } = await import('../types/mail-types.ts');
    const changed: string[] = [];
    const used = new Set<string>();
    for (const { createdAt: _, version: __, ...type } of await listTypes(engine, mostTypes)) {
      signal.throwIfAborted();
      const own = (await extractTexts([type])).filter(({ text }) => Object.hasOwn(translations, text));
      for (const { text } of own) used.add(text);
      const before = type.translations[wanted] ?? {};
      const after = {
        ...before,
        ...Object.fromEntries(own.map(({ text }) => [text, translations[text] ?? ''])),
      };
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      await storeType(
        engine,
        { ...type, translations: { ...type.translations, [wanted]: after } },
        { replace: true },
      );
      changed.push(type.code);
    }
    return {
      types: changed,
      texts: used.size,
      unused: Object.keys(translations)
        .filter((text) => !used.has(text))
        .slice(0, 1000),
    };
  },
});

export const typePreview = defineOperation({
  name: 'mailtype.preview',
  summary:
    'Render a mail type in a language with some data, without sending it; lists texts that are not translated',
  role: 'user',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    code: typeCode,
    language: language.optional().describe('Language; that of the type by default'),
    values: z.record(z.string(), z.unknown()).default({}).describe('Values for the template'),
    design: z.string().max(253).optional().describe('Design of the type to use'),
  }),
  output: z.strictObject({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    language: z.string(),
    missing: z.string(),
  }),
  example: { code: 'order', language: 'cs' },
  async handler({ engine, caller }, { code, language: wanted, values, design = '' }) {
    const { OpenMail } = await import('../opened/open-mail.ts');
    const { findType } = await import('../types/mail-types.ts');
    const type = await findType(engine, code);
    checkDesign(type, design);
    const spoken = wanted ?? type.language;
    const links = {
      onlineUrl: 'https://example.org/m/preview',
      unsubscribeUrl: 'https://example.org/m/preview/unsubscribe',
    };
    const mail = { ...links, to: 'preview@example.org', name: 'Preview', language: spoken };
    const data = { ...values, design: type.designs[design] ?? {}, mail };
    const { missing, ...rendered } = await stateOf(engine, OpenMail).preview(type, spoken, data, caller.name);
    if (rendered.html.length > 2 ** 20) throw new PismakError('too-large', 'the mail is larger than 1 MB');
    return { ...rendered, language: spoken, missing: missing.join('\n') };
  },
});
