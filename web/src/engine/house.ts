import { call } from '../api/call.ts';
import type { House } from '../house.ts';
import { words } from './words.ts';

/** Pages of the engine: what waits, who works, what is configured. */
export const engine: House = {
  title: { en: 'Engine', cs: 'Stroj' },
  nav: [
    {
      path: 'engine/overview',
      label: { en: 'Overview', cs: 'Přehled' },
      icon: 'pulse',
      group: 'work',
      needs: 'status.show',
      onPhone: true,
    },
    {
      path: 'engine/queues',
      label: { en: 'Queues', cs: 'Fronty' },
      icon: 'queue',
      group: 'engine',
      needs: 'queue.ls',
      onPhone: true,
    },
    {
      path: 'engine/stages',
      label: { en: 'Stages', cs: 'Stupně' },
      icon: 'stage',
      group: 'engine',
      needs: 'stage.ls',
    },
    {
      path: 'engine/pipelines',
      label: { en: 'Pipelines', cs: 'Řetězce' },
      icon: 'pipeline',
      group: 'engine',
      needs: 'pipeline.ls',
    },
    {
      path: 'engine/workers',
      label: { en: 'Workers', cs: 'Pracovníci' },
      icon: 'worker',
      group: 'engine',
      needs: 'worker.ls',
    },
    {
      path: 'engine/watchdog',
      label: { en: 'Watchdog', cs: 'Hlídač' },
      icon: 'eye',
      group: 'engine',
      needs: 'watchdog.status',
    },
    {
      path: 'engine/schedules',
      label: { en: 'Schedules', cs: 'Plány' },
      icon: 'clock',
      group: 'engine',
      needs: 'schedule.ls',
    },
  ],
  routes: [
    {
      path: 'engine/overview',
      title: { en: 'Overview', cs: 'Přehled' },
      needs: 'status.show',
      load: () => import('./Overview.svelte'),
    },
    {
      path: 'engine/queues/:queue?',
      title: { en: 'Queues', cs: 'Fronty' },
      needs: 'queue.ls',
      load: () => import('./Queues.svelte'),
    },
    {
      path: 'engine/stages/:stage?',
      title: { en: 'Stages', cs: 'Stupně' },
      needs: 'stage.ls',
      load: () => import('./Stages.svelte'),
    },
    {
      path: 'engine/pipelines/:pipeline?',
      title: { en: 'Pipelines', cs: 'Řetězce' },
      needs: 'pipeline.ls',
      load: () => import('./Pipelines.svelte'),
    },
    {
      path: 'engine/workers/:worker?',
      title: { en: 'Workers', cs: 'Pracovníci' },
      needs: 'worker.ls',
      load: () => import('./Workers.svelte'),
    },
    {
      path: 'engine/watchdog',
      title: { en: 'Watchdog', cs: 'Hlídač' },
      needs: 'watchdog.status',
      load: () => import('./Watchdog.svelte'),
    },
    {
      path: 'engine/schedules/:schedule?',
      title: { en: 'Schedules', cs: 'Plány' },
      needs: 'schedule.ls',
      load: () => import('./Schedules.svelte'),
    },
  ],
  changes: ['queue', 'stage', 'alert', 'worker'],
  search: async () => ({
    async search(wanted, signal) {
      const text = wanted.toLowerCase();
      const { queues } = await call('queue.ls', {}, { signal });
      return queues
        .filter(({ name }) => name.toLowerCase().includes(text))
        .slice(0, 10)
        .map(({ name, kind }) => ({
          title: name,
          detail: kind,
          path: `engine/queues/${encodeURIComponent(name)}`,
        }));
    },
  }),
  text: words,
};
