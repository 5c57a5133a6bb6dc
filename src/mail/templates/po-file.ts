import { PismakError } from '../../engine/ground/errors.ts';
import { pluralForms } from './plural.ts';
import { pluralHeader } from './plural-rules.ts';

/** A text with its translations, one for each plural form; empty if it is not translated. */
export interface Translation {
  text: string;
  plural?: string | undefined;
  places: readonly string[];
  /** The surrounding line. */
  context: string;
  translations: readonly string[];
}

type Entry = { msgid: string; msgid_plural?: string; msgstr: string[]; comments?: { flag?: string } };
interface Parser {
  po: {
    compile(table: object, options?: object): Buffer;
    parse(text: string): { translations: Record<string, Record<string, Entry>> };
  };
}

/** A PO file for translators, with the places and context of each text. */
export async function writePo(language: string, all: readonly Translation[]): Promise<string> {
  const parser = await loadParser();
  const count = pluralForms(language).length;
  const entries = all.map(({ text, plural, places, context, translations }) => ({
    msgid: text,
    ...(plural !== undefined && { msgid_plural: plural }),
    msgstr:
      plural === undefined
        ? [translations[0] ?? '']
        : Array.from({ length: count }, (_, index) => translations[index] ?? ''),
    comments: { extracted: context, reference: places.join('\n') },
  }));
  const table = {
    charset: 'utf-8',
    headers: {
      // Gettext requires all forms; translators fill in the empty ones.
      'Project-Id-Version': 'mails',
      'PO-Revision-Date': '',
      'Last-Translator': '',
      'Language-Team': '',
      // Gettext writes cs_CZ.
      Language: language.replace('-', '_'),
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Transfer-Encoding': '8bit',
      'Plural-Forms': pluralHeader(language),
    },
    translations: { '': Object.fromEntries(entries.map((entry) => [entry.msgid, entry])) },
  };
  return parser.po.compile(table).toString();
}

/** The translations in a PO file, without untranslated and fuzzy texts. */
export async function readPo(text: string): Promise<Record<string, string | string[]>> {
  const parser = await loadParser();
  let parsed: ReturnType<Parser['po']['parse']>;
  try {
    parsed = parser.po.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `not a PO file: ${(error as Error).message}`);
  }
  const entries = Object.values(parsed.translations).flatMap((context) => Object.values(context));
  return Object.fromEntries(
    entries
      .filter(
        ({ msgid, msgstr, comments }) =>
          msgid !== '' && msgstr.every((one) => one !== '') && !/\bfuzzy\b/.test(comments?.flag ?? ''),
      )
      .map(({ msgid, msgid_plural, msgstr }) => [
        msgid,
        msgid_plural === undefined ? (msgstr[0] ?? '') : msgstr,
      ]),
  );
}

async function loadParser(): Promise<Parser> {
  // @ts-expect-error: the package has no types of its own
  const module: unknown = await import('gettext-parser');
  return ((module as { default?: unknown }).default ?? module) as Parser;
}
