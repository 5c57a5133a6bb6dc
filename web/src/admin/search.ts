import { call } from '../api/call.ts';
import { session } from '../api/session.svelte.ts';
import type { SearchHit } from '../house.ts';
import { fits } from './fits.ts';

/** People and settings, by a part of their name. */
export async function search(wanted: string, signal: AbortSignal): Promise<readonly SearchHit[]> {
  const [{ users }, { settings }] = await Promise.all([
    session.may('user.ls') ? call('user.ls', {}, { signal }) : { users: [] },
    session.may('settings.ls') ? call('settings.ls', {}, { signal }) : { settings: [] },
  ]);
  const people = users.map(({ name, role }) => ({
    title: name,
    detail: role,
    path: `admin/users/person/${encodeURIComponent(name)}`,
  }));
  const values = settings.map(({ setting, value }) => ({
    title: setting,
    detail: value,
    path: `admin/settings?find=${encodeURIComponent(setting)}`,
  }));
  return [...people, ...values].filter(({ title }) => fits(wanted, title)).slice(0, 10);
}
