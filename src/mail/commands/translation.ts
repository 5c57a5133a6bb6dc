import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { hasCode, messageOf, PismakError } from '../../engine/errors.ts';
import { reasonOf } from '../../engine/files/system-error.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { typeExtract, typePreview, typeTranslate } from '../operations/translation.ts';
import { typeList } from '../operations/type.ts';

/** What `mail extract` writes, or plain pairs. */
const translationFile = z.union([
  z.array(z.object({ text: z.string(), plural: z.string().optional(), translations: z.array(z.string()) })),
  z.record(z.string(), z.union([z.string(), z.array(z.string())])),
]);

interface LocaleOptions {
  locale: string;
  output?: string;
}

interface PreviewOptions {
  locale?: string;
  values?: string;
  dataGiven?: string;
  design?: string;
  output: string;
  png?: boolean;
}

export function addTranslations(group: Command, { command, run }: Shell): void {
  command(
    group,
    'extract',
    'Write all texts of all mail types for translators, as PO or JSON, with places, context and existing translations',
    'mail extract --locale sk -o sk.po',
    'mail extract --locale sk -o sk.json',
  )
    .requiredOption('--locale <language>', 'language to translate into')
    .option('-o, --output <file>', 'file to write, .po or .json; the terminal by default')
    .action(
      run<LocaleOptions>(async ({ client, options, out }) => {
        const { texts } = await (await client()).call(typeExtract, { language: options.locale });
        const { writePo } = await import('../templates/po-file.ts');
        const asJson = out.json || options.output?.endsWith('.json');
        const whole = asJson
          ? `${JSON.stringify(texts, undefined, 2)}\n`
          : await writePo(options.locale, texts);
        if (options.output === undefined) return out.text(whole);
        await writeTo(options.output, whole);
        const left = texts.filter(({ translations }) => translations.length === 0).length;
        out.say(`${texts.length} texts, ${left} of them not translated: ${options.output}`);
      }),
    );

  command(
    group,
    'import <file>',
    'Import translations from a PO or JSON file',
    'mail import sk.po --locale sk',
  )
    .requiredOption('--locale <language>', 'language of the translations')
    .action(
      run<LocaleOptions>(async ({ client, options, out }, file = '') => {
        const translations = await readTranslations(file);
        const answer = await (await client()).call(typeTranslate, { language: options.locale, translations });
        if (out.json) return out.object(answer);
        out.say(
          `${formatCount(answer.texts, 'translation')}, new versions of ${answer.types.join(', ') || 'no mail type'}`,
        );
        if (answer.unused.length > 0) out.say(`not in any template: ${answer.unused.join('; ')}`);
      }),
    );

  command(
    group,
    'preview <type>',
    'Render a mail type to files: HTML, text and, with Chromium, a picture. `all` renders every type in every language, with a page that shows them all',
    'mail preview order --locale cs --values \'{"number": 7}\' -o preview/',
    'mail preview all -o preview/ --png',
  )
    .option('--locale <language>', 'language; by default that of the type, and with `all` every language')
    .option('--values <json>', 'values for the template; `--data` takes them too')
    .option(
      '--design <name>',
      'design of the type to use; with `all`, types that have other designs are left out',
    )
    .option('--png', 'pictures too; needs Chromium')
    .requiredOption('-o, --output <directory>', 'where the files go')
    .action(run<PreviewOptions>((session, code = '') => preview(session, code)));
}

async function preview(session: Session<PreviewOptions>, code: string): Promise<void> {
  const { options, out } = session;
  const client = await session.client();
  const given = options.values ?? options.dataGiven;
  const values = given === undefined ? {} : parseJson('--values', given);
  const types =
    code === 'all'
      ? ofDesign((await client.call(typeList, {})).types, options.design)
      : [{ code, languages: [options.locale], design: options.design }];
  await mkdir(options.output, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(options.output, error);
  });
  const made: { name: string; subject: string; missing: string }[] = [];
  let failed = 0;
  for (const type of types) {
    for (const language of options.locale === undefined ? type.languages : [options.locale]) {
      const shown = await client
        .call(typePreview, { code: type.code, language, values, design: type.design })
        .catch((error: unknown) => {
          if (code !== 'all' || !hasCode(error, 'invalid-input')) throw error;
          session.stderr.write(`${messageOf(error)}\n`);
        });
      if (!shown) {
        failed++;
        continue;
      }
      const name = `${type.code}.${shown.language}`;
      await writeTo(join(options.output, `${name}.html`), shown.html);
      await writeTo(join(options.output, `${name}.txt`), `${shown.subject}\n\n${shown.text}\n`);
      if (options.png)
        await photograph(join(options.output, `${name}.html`), join(options.output, `${name}.png`));
      made.push({ name, subject: shown.subject, missing: shown.missing });
    }
  }
  if (code === 'all') await writeTo(join(options.output, 'index.html'), sheet(made));
  out.list(
    made,
    [
      { title: 'mail', of: (row) => row.name },
      { title: 'subject', of: (row) => row.subject },
      { title: 'not translated', of: (row) => row.missing.replaceAll('\n', '; ') },
    ],
    'no mail types',
  );
  if (failed > 0) throw new PismakError('invalid-input', `${formatCount(failed, 'mail')} can't be rendered`);
}

async function writeTo(file: string, content: string): Promise<void> {
  await writeFile(file, content).catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
}

function cannotWrite(file: string, error: unknown): PismakError {
  return new PismakError('invalid-input', `${file} can't be written: ${reasonOf(error)}`, { cause: error });
}

/** The mails of a domain: those with its design, and those that look the same in every domain. */
function ofDesign<Type extends { designs: readonly string[] }>(types: readonly Type[], design = '') {
  const known = new Set(types.flatMap(({ designs }) => designs));
  if (design !== '' && !known.has(design))
    throw new PismakError(
      'invalid-input',
      `no mail type has a design ${design}; the designs are ${[...known].join(', ') || 'none'}`,
    );
  return types
    .filter(({ designs }) => design === '' || designs.length === 0 || designs.includes(design))
    .map((type) => ({ ...type, design: type.designs.includes(design) ? design : undefined }));
}

/** All mails side by side. */
function sheet(mails: readonly { name: string; subject: string; missing: string }[]): string {
  const escaped = (text: string) =>
    text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const frames = mails.map(
    ({ name, subject, missing }) =>
      `<figure><figcaption><b>${escaped(name)}</b> ${escaped(subject)}${missing ? `<br>not translated: ${escaped(missing)}` : ''}</figcaption>` +
      `<iframe sandbox src="${encodeURIComponent(name)}.html"></iframe></figure>`,
  );
  const style =
    'body{display:flex;flex-wrap:wrap;font-family:sans-serif}iframe{width:620px;height:800px;border:1px solid #ccc}';
  return `<!doctype html><meta charset="utf-8"><title>Mails</title><style>${style}</style>${frames.join('\n')}\n`;
}

async function photograph(html: string, png: string): Promise<void> {
  const parameters = [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--window-size=640,1200',
    `--screenshot=${resolve(png)}`,
    `file://${resolve(html)}`,
  ];
  const child = spawn('chromium', parameters, { stdio: 'ignore' });
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', () =>
      fail(new PismakError('unavailable', 'pictures need Chromium: apt install chromium')),
    );
    child.once('close', done);
  });
  if (code !== 0) throw new PismakError('unavailable', `chromium ended with ${code}`);
}

async function readTranslations(file: string): Promise<Record<string, string | string[]>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PismakError('invalid-input', `${file} can't be read: ${reasonOf(error)}`);
  }
  if (!file.endsWith('.json')) return (await import('../templates/po-file.ts')).readPo(text);
  const { data: parsed, error } = translationFile.safeParse(parseJson(file, text));
  if (error)
    throw new PismakError(
      'invalid-input',
      `${file} has no translations: it must be a list as \`mail extract\` writes it, or {"text": "translation"}`,
    );
  if (!Array.isArray(parsed)) return parsed;
  const translated = parsed.filter(
    ({ translations }) => translations.length > 0 && translations.every((one) => one !== ''),
  );
  return Object.fromEntries(
    translated.map((one) => [
      one.text,
      one.plural === undefined ? (one.translations[0] ?? '') : one.translations,
    ]),
  );
}

function parseJson(name: string, text: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `${name} is not JSON: ${messageOf(error)}`);
  }
}
