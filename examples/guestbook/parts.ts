import type { HouseParts } from '../../src/engine/house.ts';
import { createEntries } from './migrations.ts';
import { guestbookList, guestbookSign } from './operations.ts';
import { page } from './page.ts';
import { GuestbookState } from './state.ts';

export const parts: HouseParts = {
  migrations: [createEntries],
  processors: [
    {
      name: 'guestbook.greet',
      summary: 'greets everyone named in a file (the configuration is the greeting)',
      module: new URL('./greet.ts', import.meta.url),
    },
  ],
  firstStart: {
    stages: [{ name: 'guestbook.greet', processor: 'guestbook.greet', config: 'Welcome', mode: 'shared' }],
    pipelines: [],
  },
  open: () => new GuestbookState(),
  operations: [guestbookSign, guestbookList],
  pages: [page],
};
