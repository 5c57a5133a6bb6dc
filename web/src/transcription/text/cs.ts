import type { Text } from './en.ts';

const cs: Text = {
  documents: 'Dokumenty',
  couldNotRead: 'Dokumenty se nepodařilo načíst',
  empty: 'Zatím žádné dokumenty',
  emptyHint:
    'Dokument je sken, PDF nebo složka obrázků. Písmák najde jeho text a pamatuje si, kde které slovo stojí.',
  columns: { name: 'Dokument', owner: 'Vlastník', state: 'Stav', pages: 'Stran', created: 'Zadáno' },
  states: {
    open: 'rozepsaný',
    waiting: 'čeká',
    running: 'čte se',
    done: 'přečtený',
    partly: 'přečtený zčásti',
    failed: 'selhal',
    cancelled: 'zrušený',
  },
};

export default cs;
