import { preferences } from '../text/preferences.svelte.ts';

class Scheme {
  dark = $state(matchMedia('(prefers-color-scheme: dark)').matches);

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
      this.dark = matches;
    });
  }
}

const scheme = new Scheme();

/**
 * The colours of tokens as a canvas understands them: `coloursOf(element, ['--ink', '--series-1'])`. Used in an effect, it runs again
 * when the person or the system changes between light and dark.
 */
export function coloursOf<Name extends `--${string}`>(
  element: HTMLElement,
  names: readonly Name[],
): Record<Name, string> {
  void scheme.dark;
  void preferences.theme;
  const probe = document.createElement('span');
  element.append(probe);
  const found = names.map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Record<Name, string>;
}
