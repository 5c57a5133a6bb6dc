import type { House } from '../house.ts';
import { words } from './words.ts';

/** Pages of administration: people, keys, settings, health. */
export const admin: House = {
  title: { en: 'Administration', cs: 'Správa' },
  nav: [
    {
      path: 'admin/users',
      label: { en: 'People', cs: 'Lidé' },
      icon: 'person',
      group: 'administration',
      needs: 'user.ls',
    },
  ],
  routes: [
    {
      path: 'admin/users',
      title: { en: 'People', cs: 'Lidé' },
      needs: 'user.ls',
      load: () => import('./Users.svelte'),
    },
  ],
  changes: ['user', 'key', 'session'],
  text: words,
};
