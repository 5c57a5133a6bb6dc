import { call } from '../api/call.ts';
import type { House } from '../house.ts';
import { words } from './words.ts';

const documents = { en: 'Documents', cs: 'Dokumenty' };
const search = { en: 'Search in texts', cs: 'Hledat v textech' };

export const transcription: House = {
  name: 'transcription',
  title: { en: 'Transcription', cs: 'Přepisy' },
  nav: [
    {
      path: 'transcription/documents',
      label: documents,
      icon: 'document',
      group: 'houses',
      needs: 'document.ls',
      count: async () => (await call('document.ls', { limit: 1 })).total,
      onPhone: true,
    },
    {
      path: 'transcription/search',
      label: { en: 'Search', cs: 'Hledání' },
      icon: 'search',
      group: 'houses',
      needs: 'search.text',
      onPhone: true,
    },
  ],
  routes: [
    {
      path: 'transcription/documents',
      title: documents,
      needs: 'document.ls',
      load: () => import('./Documents.svelte'),
    },
    {
      path: 'transcription/documents/:id',
      title: { en: 'Document', cs: 'Dokument' },
      needs: 'document.show',
      load: () => import('./Document.svelte'),
    },
    {
      path: 'transcription/documents/:id/:page',
      title: { en: 'Page', cs: 'Strana' },
      needs: 'document.text',
      load: () => import('./Viewer.svelte'),
    },
    {
      path: 'transcription/search',
      title: search,
      needs: 'search.text',
      load: () => import('./Search.svelte'),
    },
  ],
  changes: ['document'],
  todo: () => import('./todo.ts'),
  guide: () => import('./guide.ts'),
  search: async () => ({
    async search(wanted, signal) {
      const found = await call('document.ls', { nameHas: wanted, limit: 8 }, { signal });
      await words.ready();
      const named = found.documents.map(({ id, name, state }) => ({
        title: name,
        detail: words.t.states[state],
        path: `transcription/documents/${id}`,
      }));
      const query = new URLSearchParams({ q: wanted });
      return [...named, { title: words.t.search.inTexts(wanted), path: `transcription/search?${query}` }];
    },
  }),
  text: words,
};
