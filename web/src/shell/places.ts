import { session } from '../api/session.svelte.ts';
import type { House, NavEntry, Route } from '../house.ts';
import { houses } from '../houses.ts';

/** The houses that are on. */
export function housesOn(): House[] {
  return houses.filter(({ name }) => name === undefined || session.hasHouse(name));
}

/** What this person may see. Reactive: use it in `$derived`. */
export function routes(): { route: Route; house: House }[] {
  return housesOn().flatMap((house) =>
    house.routes
      .filter(({ needs }) => needs === undefined || session.may(needs))
      .map((route) => ({ route, house })),
  );
}

export function entries(): { entry: NavEntry; house: House }[] {
  return housesOn().flatMap((house) =>
    house.nav
      .filter(({ needs }) => needs === undefined || session.may(needs))
      .map((entry) => ({ entry, house })),
  );
}

export const groups = ['work', 'houses', 'engine', 'administration'] as const;
