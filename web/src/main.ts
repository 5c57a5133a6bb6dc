import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { session } from './api/session.svelte.ts';
import { houses } from './houses.ts';
import { match, router } from './router.svelte.ts';
import { watchForUpgrades } from './shell/upgrade.svelte.ts';
import { shellWords } from './shell/words.ts';
import { preferences } from './text/preferences.svelte.ts';

preferences.apply();
// The page is on its way while the server says who is there.
const soon = match(
  houses.flatMap((house) => house.routes.map((route) => ({ ...route, house }))),
  router.path,
);
void Promise.all([soon?.route.load(), soon?.route.house.text.ready()]).catch(() => {});
// Both are needed before anything can be drawn. Without a server there is a page that says so.
await Promise.all([shellWords.ready(), session.read().catch(() => false)]);
mount(App, { target: document.getElementById('app') ?? document.body });
watchForUpgrades();
// Beautiful, but not before there is something to read.
(globalThis.requestIdleCallback ?? setTimeout)(() => void import('./styles/fonts.css'));
performance.mark('pismak-interactive');
