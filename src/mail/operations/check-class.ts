import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { classesOf, mailSection } from '../settings/settings.ts';

/** Refuses unknown classes: their mails could never be sent. */
export function checkClass({ settings }: Pick<Engine, 'settings'>, name: string): void {
  const classes = classesOf(sectionOf(settings, mailSection));
  if (classes.has(name)) return;
  throw new PismakError(
    'invalid-input',
    `there is no class ${name}; the classes are ${[...classes.keys()].join(', ')} (settings mail.classes)`,
  );
}
