import { catalogue } from '../text/words.svelte.ts';

export const shellWords = catalogue({
  en: () => import('./text/en.ts'),
  cs: () => import('./text/cs.ts'),
});
