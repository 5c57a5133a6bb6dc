import { english as plural } from '../../text/plural.ts';

const en = {
  todo: 'To do',
  allDone: 'Nothing waits for you',
  nothing: 'All done',
  nothingHint: 'Alerts, doubtful pages and failed work come here by themselves when they need you.',
  couldNotRead: 'What waits could not be read',
  missing: (what: string) => `${what} did not answer. The rest is complete.`,
  more: (count: number) => plural(count, { one: '# more', other: '# more' }),
  states: { waiting: 'waiting', warning: 'warning', failed: 'failed' },
  welcome: (name: string) => `Welcome, ${name}`,
  welcomeHint: 'You are signed in and may do everything. Here is what Pismak can do, with real work.',
  noSteps:
    'This installation has no houses yet, so there is nothing to show. The engine works: see its queues.',
  goOn: 'Skip this',
};

export default en;
export type Text = typeof en;
