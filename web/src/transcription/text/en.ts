const en = {
  documents: 'Documents',
  couldNotRead: 'The documents could not be read',
  empty: 'No documents yet',
  emptyHint:
    'A document is a scan, a PDF or a folder of images. Pismak finds its text and keeps where each word stands.',
  columns: { name: 'Document', owner: 'Owner', state: 'State', pages: 'Pages', created: 'Submitted' },
  states: {
    open: 'open',
    waiting: 'waiting',
    running: 'reading',
    done: 'read',
    partly: 'read in part',
    failed: 'failed',
    cancelled: 'cancelled',
  },
};

export default en;
export type Text = typeof en;
