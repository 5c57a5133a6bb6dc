import type { House } from '../house.ts';
import { words } from './words.ts';

/** Pages of administration: people, keys, what was done, health, settings; and everybody's own account. */
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
    {
      path: 'admin/audit',
      label: { en: 'Audit log', cs: 'Záznam činností' },
      icon: 'list',
      group: 'administration',
      needs: 'audit.ls',
    },
    {
      path: 'admin/health',
      label: { en: 'Health', cs: 'Zdraví' },
      icon: 'heart',
      group: 'administration',
      needs: 'system.show',
    },
    {
      path: 'admin/settings',
      label: { en: 'Settings', cs: 'Nastavení' },
      icon: 'settings',
      group: 'administration',
      needs: 'settings.ls',
    },
    {
      path: 'admin/me',
      label: { en: 'My account', cs: 'Můj účet' },
      icon: 'key',
      group: 'administration',
    },
  ],
  routes: [
    {
      path: 'admin/users/keys',
      title: { en: 'Keys of all people', cs: 'Klíče všech lidí' },
      needs: 'user.ls',
      load: () => import('./Keys.svelte'),
    },
    {
      path: 'admin/users/sessions',
      title: { en: 'Sessions of all people', cs: 'Přihlášení všech lidí' },
      needs: 'user.ls',
      load: () => import('./Sessions.svelte'),
    },
    {
      path: 'admin/users/usage',
      title: { en: 'Usage and limits', cs: 'Spotřeba a limity' },
      needs: 'usage.limits',
      load: () => import('./Usage.svelte'),
    },
    {
      path: 'admin/users/:part?/:name?',
      title: { en: 'People', cs: 'Lidé' },
      needs: 'user.ls',
      load: () => import('./People.svelte'),
    },
    {
      path: 'admin/audit',
      title: { en: 'Audit log', cs: 'Záznam činností' },
      needs: 'audit.ls',
      load: () => import('./Audit.svelte'),
    },
    {
      path: 'admin/health',
      title: { en: 'Health', cs: 'Zdraví' },
      needs: 'system.show',
      load: () => import('./Health.svelte'),
    },
    {
      path: 'admin/health/backups',
      title: { en: 'Backups', cs: 'Zálohy' },
      needs: 'backup.ls',
      load: () => import('./Backups.svelte'),
    },
    {
      path: 'admin/health/licences',
      title: { en: 'Licences', cs: 'Licence' },
      needs: 'system.licences',
      load: () => import('./Licences.svelte'),
    },
    {
      path: 'admin/settings',
      title: { en: 'Settings', cs: 'Nastavení' },
      needs: 'settings.ls',
      load: () => import('./Settings.svelte'),
    },
    {
      path: 'admin/me',
      title: { en: 'My account', cs: 'Můj účet' },
      load: () => import('./Me.svelte'),
    },
  ],
  changes: ['user', 'key', 'session'],
  search: () => import('./search.ts'),
  text: words,
};
