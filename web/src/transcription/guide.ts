import type { GuideStep } from '../house.ts';

export const guide: readonly GuideStep[] = [
  {
    name: 'read-samples',
    title: { en: 'Read a few pages', cs: 'Přečíst několik stran' },
    needs: 'document.create',
    load: () => import('./ReadSamples.svelte'),
  },
];
