import type { Language } from './language.ts';

/** `#` stands for the number. */
interface EnglishForms {
  one: string;
  other: string;
}

/** 1 strana, 2 strany, 1,5 strany, 5 stran. */
interface CzechForms extends EnglishForms {
  few: string;
  many: string;
}

type Forms = EnglishForms & Partial<CzechForms>;

function pluralOf(language: Language): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms) => {
    const rule = rules.select(count) as keyof Forms;
    return (forms[rule] ?? forms.other).replaceAll('#', numbers.format(count));
  };
}

/** Whole sentences: `plural(3, { one: '# page has no text', other: '# pages have no text' })`. */
export const english: (count: number, forms: EnglishForms) => string = pluralOf('en');
export const czech: (count: number, forms: CzechForms) => string = pluralOf('cs');
