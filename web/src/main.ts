import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { session } from './api/session.svelte.ts';
import { watchForUpgrades } from './shell/upgrade.svelte.ts';
import { shellWords } from './shell/words.ts';
import { preferences } from './text/preferences.svelte.ts';

preferences.apply();
// Both are needed before anything can be drawn. Without a server there is a page that says so.
await Promise.all([shellWords.ready(), session.read().catch(() => false)]);
mount(App, { target: document.getElementById('app') ?? document.body });
watchForUpgrades();
// Beautiful, but not before there is something to read.
requestIdleCallback?.(() => void import('./styles/fonts.css'));
performance.mark('pismak-interactive');
