import { PermanentFailure } from '../../engine/processor/processor.ts';

/** Refuses languages without a model. The language comes from outside and becomes an argument of a program. */
export function checkLanguage(language: string, known: readonly string[] | undefined): void {
  if (!/^\w+(?:\/\w+)?(?:\+\w+(?:\/\w+)?)*$/.test(language))
    throw new PermanentFailure(`invalid language ${JSON.stringify(language)}; write it like ces or ces+deu`);
  const unknown = language.split('+').filter((name) => known && !known.includes(name));
  if (unknown.length === 0) return;
  throw new PermanentFailure(
    `there is no model for ${unknown.join(', ')} here; installed: ${known?.join(', ') || 'none'}`,
  );
}
