import { PismakError } from '../../engine/errors.ts';
import type { MailType } from './mail-type.ts';

const mostNamed = 20;

/** A mail with a design that its type doesn't have would go out without logo and colours, so it is refused. */
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

/** Those that a mail can ask for. The one named '' is for mails that ask for none. */
export function designNames(designs: MailType['designs']): string[] {
  return Object.keys(designs).filter((name) => name !== '');
}
