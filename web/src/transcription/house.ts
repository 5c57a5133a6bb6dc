import { call } from '../api/call.ts';
import type { House } from '../house.ts';
import { words } from './words.ts';

export const transcription: House = {
  name: 'transcription',
  title: { en: 'Transcription', cs: 'Přepisy' },
  nav: [
    {
      path: 'transcription/documents',
      label: { en: 'Documents', cs: 'Dokumenty' },
      icon: 'document',
      group: 'houses',
      needs: 'document.ls',
      onPhone: true,
    },
  ],
  routes: [
    {
      path: 'transcription/documents',
      title: { en: 'Documents', cs: 'Dokumenty' },
      needs: 'document.ls',
      load: () => import('./Documents.svelte'),
    },
  ],
  changes: ['document'],
  search: async () => ({
    async search(wanted, signal) {
      const { documents } = await call('document.ls', { name: wanted, limit: 10 }, { signal });
      return documents.map(({ name }) => ({ title: name, path: 'transcription/documents' }));
    },
  }),
  text: words,
};
