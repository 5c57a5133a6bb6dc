import type { Component } from 'svelte';
import type { House, PageProps, Route } from '../house.ts';
import type { Parameters } from '../path-pattern.ts';

export interface OpenPage {
  route: Route;
  params: Parameters;
  component: Component<PageProps>;
}

const triedKey = 'pismak.reloaded';

/**
 * Loads a page and its sentences. A file that the server doesn't have belongs to another version of the console: then the
 * tab loads itself anew, once.
 */
export async function openPage(route: Route & { house: House }, params: Parameters): Promise<OpenPage> {
  try {
    const [{ default: component }] = await Promise.all([route.load(), route.house.text.ready()]);
    sessionStorage.removeItem(triedKey);
    return { route, params, component };
  } catch (error) {
    if (!isMissingFile(error) || sessionStorage.getItem(triedKey) !== null) throw error;
    sessionStorage.setItem(triedKey, '1');
    location.reload();
    return new Promise(() => {});
  }
}

/** Browsers say it in different words. */
function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && /import|module|fetch/i.test(error.message);
}
