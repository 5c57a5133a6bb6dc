import { call, type Input } from '../api/call.ts';
import type { TodoItem, TodoKind } from '../house.ts';
import { words } from './words.ts';

type Listed = Awaited<ReturnType<typeof list>>['documents'][number];
const list = (filter: Input<'document.ls'>) => call('document.ls', filter);

/** Documents that a person should look at. */
export const todo: readonly TodoKind[] = [
  {
    name: 'failed-pages',
    title: { en: 'Documents with failures', cs: 'Dokumenty s chybami' },
    needs: 'document.ls',
    read: (limit) =>
      read({ state: ['failed', 'partly'], limit }, (document) => ({
        state: 'failed',
        detail: words.t.list.failed(document.pages.failed),
        path: `transcription/documents/${document.id}?state=failed`,
      })),
  },
  {
    name: 'doubtful-pages',
    title: { en: 'Doubtful pages', cs: 'Pochybné strany' },
    needs: 'document.ls',
    read: (limit) =>
      read({ has: 'doubtful', limit }, (document) => ({
        state: 'warning',
        detail: words.t.list.doubtful(document.pages.doubtful),
        path: `transcription/documents/${document.id}?state=doubtful`,
      })),
  },
];

async function read(
  filter: Input<'document.ls'>,
  show: (document: Listed) => Pick<TodoItem, 'state' | 'detail' | 'path'>,
): Promise<{ count: number; items: TodoItem[] }> {
  const [{ documents, total }] = await Promise.all([list(filter), words.ready()]);
  const items = documents.map((document) => ({
    key: document.id,
    title: document.name,
    since: document.endedAt ?? document.createdAt,
    ...show(document),
  }));
  return { count: total, items };
}
