import { PismakError } from '../../engine/ground/errors.ts';
import type { MailType } from './mail-type.ts';

const mostNamed = 20;

/** Refuses a design that the type does not have: the mail would have no logo and colours. */
export function checkDesign({ code, designs }: Pick<MailType, 'code' | 'designs'>, design = ''): void {
  if (design === '' || Object.hasOwn(designs, design)) return;
  throw new PismakError('invalid-input', `mail type ${code} has no ${missing(design, designs)}`);
}

function missing(design: string, designs: MailType['designs']): string {
  const names = designNames(designs);
  if (names.length === 0) return 'designs: leave `design` out, or add some with `mail type update --designs`';
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} others` : '';
  return `design ${design}; it has ${names.slice(0, mostNamed).join(', ')}${more}`;
}

/** Designs that a mail can name. The design '' is the default. */
export function designNames(designs: MailType['designs']): string[] {
  return Object.keys(designs).filter((name) => name !== '');
}
