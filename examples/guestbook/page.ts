import { type PublicPage, stateOf } from '../../src/engine/house.ts';
import { GuestbookState } from './state.ts';
import { entryQueries } from './tables.ts';

/** What everybody may see at /guestbook. Users wrote it, so it is escaped. */
export const page: PublicPage = {
  path: '/guestbook',
  summary: 'The guestbook',
  async show(engine) {
    const query = entryQueries(engine).selectFrom('guestbook_entry').select('text');
    const entries = await query.orderBy('id', 'desc').limit(100).execute();
    const items = entries.map(({ text }) => `<li>${escaped(text)}</li>`);
    const visits = ++stateOf(engine, GuestbookState).visits;
    const content = `<!doctype html><title>Guestbook</title><h1>Guestbook</h1><ul>${items.join('')}</ul><p>Visit ${visits} since the start</p>`;
    return { type: 'text/html; charset=utf-8', content };
  },
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
