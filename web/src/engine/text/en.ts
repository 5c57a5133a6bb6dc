const en = {
  queues: 'Queues',
  couldNotReadQueues: 'The queues could not be read',
  columns: {
    queue: 'Queue',
    ready: 'Ready',
    backlog: 'Backlog',
    running: 'In progress',
    dead: 'Dead',
    oldest: 'Oldest',
  },
};

export default en;
export type Text = typeof en;
