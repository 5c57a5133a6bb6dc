import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import { typeExtract, typeTranslate } from '../operations/translation.ts';
import { parseJson, writeTo } from './text-files.ts';

/** The output of `mail extract`, or plain pairs. */
const translationFile = z.union([
  z.array(z.object({ text: z.string(), plural: z.string().optional(), translations: z.array(z.string()) })),
  z.record(z.string(), z.union([z.string(), z.array(z.string())])),
]);

interface LocaleOptions {
  locale: string;
  output?: string;
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
