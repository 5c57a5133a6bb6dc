import type { House } from '../house.ts';
import { words } from './words.ts';

/** What waits for the person, whatever house it belongs to; the first steps. */
export const work: House = {
  title: { en: 'Work', cs: 'Práce' },
  nav: [
    {
      path: 'todo',
      label: { en: 'To do', cs: 'K vyřízení' },
      icon: 'check',
      group: 'work',
      urgent: true,
      onPhone: true,
      count: async () => (await import('./read-todo.ts')).countTodo(),
    },
  ],
  routes: [
    {
      path: 'todo/alerts/:id?',
      title: { en: 'Alerts', cs: 'Výstrahy' },
      needs: 'alert.ls',
      load: () => import('./Alerts.svelte'),
    },
    {
      path: 'todo/requests/:uuid?',
      title: { en: 'Failed requests', cs: 'Nezdařené požadavky' },
      needs: 'request.failed',
      load: () => import('./Requests.svelte'),
    },
    { path: 'todo', title: { en: 'To do', cs: 'K vyřízení' }, load: () => import('./Todo.svelte') },
    {
      path: 'welcome',
      title: { en: 'First steps', cs: 'První kroky' },
      load: () => import('./Welcome.svelte'),
    },
  ],
  changes: ['*'],
  todo: () => import('./todo.ts'),
  text: words,
};
