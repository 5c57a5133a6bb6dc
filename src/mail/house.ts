import type { House } from '../engine/house.ts';
import { mailSettings } from './settings.ts';

/** Sends mails, one or a million: queues, relays, templates, campaigns. */
export const mail = {
  name: 'mail',
  title: 'Mail',
  settings: mailSettings,
  commands: {
    mail: {
      summary: 'Send mails, single ones and campaigns, and see what became of them',
      load: () => import('./commands/mail.ts'),
    },
  },
  load: async () => (await import('./parts.ts')).parts,
} as const satisfies House;
