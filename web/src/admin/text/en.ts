const en = {
  people: 'People',
  couldNotReadPeople: 'The people could not be read',
  columns: { name: 'Name', role: 'Role', state: 'State', since: 'Since' },
  roles: { reader: 'reads', user: 'works', admin: 'administers' },
  enabled: 'may sign in',
  disabled: 'disabled',
};

export default en;
export type Text = typeof en;
