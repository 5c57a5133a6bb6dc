import type { Text } from './en.ts';

const cs: Text = {
  queues: 'Fronty',
  couldNotReadQueues: 'Fronty se nepodařilo načíst',
  columns: {
    queue: 'Fronta',
    ready: 'Připraveno',
    backlog: 'Nevpuštěno',
    running: 'Zpracovává se',
    dead: 'Mrtvé',
    oldest: 'Nejstarší',
  },
};

export default cs;
