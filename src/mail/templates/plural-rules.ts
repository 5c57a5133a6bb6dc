import { pluralForms } from './plural.ts';

const slavic = 'n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2';
const few = 'n==1 ? 0 : n>=2 && n<=4 ? 1 : 2';

/** The plural rules in gettext's notation. The forms are in the order of `pluralForms`. */
export const pluralRules: Readonly<Record<string, string>> = {
  cs: few,
  sk: few,
  ru: slavic,
  uk: slavic,
  be: slavic,
  sr: slavic,
  hr: slavic,
  bs: slavic,
  pl: 'n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2',
  sl: 'n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3',
  lt: 'n%10==1 && (n%100<11 || n%100>19) ? 0 : n%10>=2 && (n%100<11 || n%100>19) ? 1 : 2',
  lv: 'n%10==0 || n%100>=11 && n%100<=19 ? 0 : n%10==1 ? 1 : 2',
  ro: 'n==1 ? 0 : n==0 || n%100>=1 && n%100<=19 ? 1 : 2',
  he: 'n==1 ? 0 : n==2 ? 1 : 2',
  ga: 'n==1 ? 0 : n==2 ? 1 : n>=3 && n<=6 ? 2 : n>=7 && n<=10 ? 3 : 4',
  ar: 'n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5',
  is: 'n%10!=1 || n%100==11',
  mk: 'n%10!=1 || n%100==11',
};

/** The header `Plural-Forms` of a PO file. */
export function pluralHeader(language: string): string {
  const forms = pluralForms(language);
  const [base = ''] = language.split('-');
  const isOneForNone = new Intl.PluralRules(language).select(0) === 'one';
  const usual = forms.length < 2 ? '0' : isOneForNone ? 'n > 1' : 'n != 1';
  return `nplurals=${forms.length}; plural=(${pluralRules[base] ?? usual});`;
}
