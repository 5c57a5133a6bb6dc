import type { House } from '../house.ts';
import { words } from './words.ts';

/** Pages of the engine: what waits, who works, what is configured. */
export const engine: House = {
  title: { en: 'Engine', cs: 'Stroj' },
  nav: [
    {
      path: 'engine/queues',
      label: { en: 'Queues', cs: 'Fronty' },
      icon: 'queue',
      group: 'engine',
      needs: 'queue.ls',
      onPhone: true,
    },
  ],
  routes: [
    {
      path: 'engine/queues',
      title: { en: 'Queues', cs: 'Fronty' },
      needs: 'queue.ls',
      load: () => import('./Queues.svelte'),
    },
  ],
  changes: ['queue', 'stage', 'alert', 'worker'],
  text: words,
};
