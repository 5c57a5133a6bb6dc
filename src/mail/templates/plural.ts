const order = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** The plural forms that whole numbers have in a language, in gettext's order: Czech has three, English two. */
export function pluralForms(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  const used = new Set(Array.from({ length: 201 }, (_, number) => rules.select(number)));
  return order.filter((form) => used.has(form as Intl.LDMLPluralRule));
}

/** Which of the forms this number takes. Fractions take the last one. */
export function pluralIndex(language: string, count: number): number {
  const forms = pluralForms(language);
  const index = forms.indexOf(new Intl.PluralRules(language).select(count));
  return index < 0 ? forms.length - 1 : index;
}
