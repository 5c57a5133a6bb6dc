import { chance } from './web-plan.ts';

type Language = 'cs' | 'sk' | 'en';

const subjects: Record<Language, string[]> = {
  cs: ['Starý písmák', 'Obecní kronikář', 'Náš soused z horní vsi', 'Učitel zdejší školy', 'Mladá hospodyně'],
  sk: [
    'Starý pisár',
    'Obecný kronikár',
    'Náš sused z hornej dediny',
    'Učiteľ miestnej školy',
    'Mladá gazdiná',
  ],
  en: [
    'The old scribe',
    'The village chronicler',
    'Our neighbour',
    'The teacher of the school',
    'The young farmer',
  ],
};
const verbs: Record<Language, string[]> = {
  cs: [
    'každý večer čte',
    'pečlivě opisuje',
    'dětem vypráví o tom, jak vznikly',
    'uložil do truhly',
    'po žních rovná',
  ],
  sk: [
    'každý večer číta',
    'starostlivo odpisuje',
    'deťom rozpráva o tom, ako vznikli',
    'uložil do truhlice',
    'po žatve rovná',
  ],
  en: [
    'reads every evening',
    'carefully copies',
    'tells the children about',
    'has put into a chest',
    'sorts after harvest',
  ],
};
const objects: Record<Language, string[]> = {
  cs: [
    'zažloutlé listiny',
    'staré noviny z města',
    'dopisy svých předků',
    'zápisy o povodni a požáru',
    'řady účtů',
  ],
  sk: [
    'zažltnuté listiny',
    'staré noviny z mesta',
    'listy svojich predkov',
    'zápisy o povodni a požiari',
    'rady účtov',
  ],
  en: [
    'the yellowed papers',
    'old newspapers',
    'letters of the family',
    'notes about flood and fire',
    'rows of accounts',
  ],
};
const ends: Record<Language, string[]> = {
  cs: [
    'a nikdy si nestěžuje.',
    'protože je zapomenout nechce.',
    'i když už mu oči neslouží.',
    'a přitom tiše zpívá.',
  ],
  sk: [
    'a nikdy sa nesťažuje.',
    'pretože ich zabudnúť nechce.',
    'aj keď mu už oči neslúžia.',
    'a pritom ticho spieva.',
  ],
  en: [
    'and never complains.',
    'because nobody should forget.',
    'though the eyes are weak.',
    'while singing quietly.',
  ],
};

/** Sentences in one language, the same for the same words. */
export function paragraph(
  seed: number,
  language: Language,
  sentences: number,
  ...words: (string | number)[]
): string {
  const pick = (list: string[], ...more: (string | number)[]) =>
    list[Math.floor(chance(seed, language, ...words, ...more) * list.length)] ?? '';
  return Array.from({ length: sentences }, (_, index) =>
    [subjects, verbs, objects, ends].map((lists, part) => pick(lists[language], index, part)).join(' '),
  ).join(' ');
}

export function languageOf(seed: number, host: number): Language {
  const value = chance(seed, 'language', host);
  return value < 0.7 ? 'cs' : value < 0.85 ? 'sk' : 'en';
}

/** Encodes text in a single-byte charset, by inverting the decoder. */
export function encode(text: string, charset: 'windows-1250' | 'iso-8859-2' | 'utf-8'): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  const decoder = new TextDecoder(charset);
  const codes = new Map<string, number>();
  for (let code = 255; code >= 0; code--) codes.set(decoder.decode(Uint8Array.of(code)), code);
  return Buffer.from([...text].map((character) => codes.get(character) ?? 63));
}
