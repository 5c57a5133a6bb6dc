import type { Text } from './en.ts';

const cs: Text = {
  people: 'Lidé',
  couldNotReadPeople: 'Seznam lidí se nepodařilo načíst',
  columns: { name: 'Jméno', role: 'Role', state: 'Stav', since: 'Od' },
  roles: { reader: 'čte', user: 'pracuje', admin: 'spravuje' },
  enabled: 'smí se přihlásit',
  disabled: 'zakázaný',
};

export default cs;
