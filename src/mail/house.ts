import type { House } from '../engine/house.ts';
import { mailSection } from './settings/settings.ts';

/** Sends mails, one or a million: queues, relays, templates, campaigns. */
export const mail = {
  ...mailSection,
  title: 'Mail',
  commands: {
    mail: {
      summary: 'Send mails, single ones and campaigns, and see what became of them',
      load: () => import('./commands/mail.ts'),
    },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
