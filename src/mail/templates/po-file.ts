import { PismakError } from '../../engine/errors.ts';
import { pluralForms } from './plural.ts';

/** A text with its translations, one for each plural form; empty if there is none. */
export interface Translation {
  text: string;
  plural?: string | undefined;
  places: readonly string[];
  translations: readonly string[];
}

type Entry = { msgid: string; msgid_plural?: string; msgstr: string[]; comments?: { reference?: string } };
interface Parser {
  po: {
    compile(table: object, options?: object): Buffer;
    parse(text: string): { translations: Record<string, Record<string, Entry>> };
  };
}

/** Gettext's plural rule of a language, derived from the forms that its numbers take. */
const pluralRules: Readonly<Record<string, string>> = {
  cs: 'nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);',
  sk: 'nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);',
  pl: 'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);',
};

/** A PO file for translators, with the places of each text. */
export async function writePo(language: string, all: readonly Translation[]): Promise<string> {
  const parser = await loadParser();
  const count = pluralForms(language).length;
  const entries = all.map(({ text, plural, places, translations }) => ({
    msgid: text,
    ...(plural !== undefined && { msgid_plural: plural }),
    msgstr:
      plural === undefined
        ? [translations[0] ?? '']
        : Array.from({ length: count }, (_, index) => translations[index] ?? ''),
    comments: { reference: places.join('\n') },
  }));
  const table = {
    charset: 'utf-8',
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Language: language,
      'Plural-Forms': pluralRules[language.split('-')[0] ?? ''] ?? 'nplurals=2; plural=(n != 1);',
    },
    translations: { '': Object.fromEntries(entries.map((entry) => [entry.msgid, entry])) },
  };
  return parser.po.compile(table).toString();
}

/** What a PO file translates; texts without translation are left out. */
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
      .filter(({ msgid, msgstr }) => msgid !== '' && msgstr.every((one) => one !== ''))
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
