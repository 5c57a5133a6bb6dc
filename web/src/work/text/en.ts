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
  everything: 'Everything',
  alerts: {
    title: 'Alerts',
    couldNotRead: 'The alerts could not be read',
    none: 'No alerts',
    noneHint: 'Pismak watches queues, workers, stores, disks and more, and says here what needs a person.',
    waiting: (count: number) =>
      count === 0
        ? 'Somebody looks after everything'
        : plural(count, { one: '# waits for somebody', other: '# wait for somebody' }),
    past: 'Past ones too',
    attended: 'Looked after, or muted',
    ended: 'Over',
    isOpen: 'open',
    isEnded: 'over',
    since: 'raised',
    seen: (count: number) => plural(count, { one: 'seen once, last', other: 'seen # times, last' }),
    endedAt: 'over',
    yours: 'Taken by you',
    theirs: (name: string) => `Taken by ${name}`,
    mutedUntil: (name: string) => (name === '' ? 'Muted until' : `Muted by ${name} until`),
    look: 'Look into it',
    take: 'I look after it',
    changeNote: 'Change my note',
    note: 'Note',
    noteHelp: 'What you know or do about it. Your colleagues see it here.',
    mute: 'Mute',
    muteTitle: 'Mute this alert',
    muteText: 'Nobody is notified about it for that time. It stays in this list, and its end is told.',
    hours: { 1: 'For an hour', 24: 'For a day', 168: 'For a week' } as Record<number, string>,
    muted: 'The alert is muted',
    unmute: 'Notify again',
    unmuted: 'Its notifications go on',
    advice: {
      'stage.no-worker':
        'Start a worker with the labels of the stage, enable one, or raise the priority of the stage.',
      'stage.broken': 'Correct the configuration of the stage, or go back to an earlier version.',
      'stage.too-slow': 'Lower the timeout of the stage, or raise consumer_timeout of RabbitMQ.',
      'queue.broken':
        'Usually another program made a queue of the same name. Delete it, or give the stage another name.',
      'queue.dead-letters':
        'Find the cause in their history. When it is gone, redrive them; discard those that nobody needs.',
      'worker.failed': 'Look at its last failures and its log, then start it again.',
      'store.unreachable':
        'Check that the server runs, and the network. Work goes on by itself as soon as it answers.',
      'disk.low': 'Delete documents that nobody needs, or move the directory to a larger disk.',
      'disk.full': 'Free some space now: uploads and new requests are refused. Reading and deleting work.',
      'clock.jumped': 'Look at the clock of that machine. If the time is right, say so under Health.',
      'outbox.stuck': 'Most likely the queue is gone. Recreate its stage, and the messages go on.',
      'backlog.stuck': 'Most likely the queue is gone. Recreate its stage, and the work goes on.',
      'process.busy': 'Report it with the details: everybody waited meanwhile.',
      'mail.refused':
        'Read the last answer, mend the cause (SPF, DKIM, content, list), then resume the queue.',
      'mail.relays-down': 'Mails wait without losing an attempt. Check the relays.',
      'mail.campaign-failed': 'Mend the cause, then resume the campaign. No mail was sent twice.',
      'robot.segmenter-down': 'Start the segmenter again; documents wait for it.',
      'robot.set-aside': 'Define the crawl anew with smaller expressions.',
      'robot.cut-off': 'Check network, DNS and firewall of this machine.',
      'account.attacked':
        'Somebody guesses this password. See from where; the account itself is protected meanwhile.',
      'address.attacking': 'Block the address in front of Pismak if it goes on.',
      'schedule.failed': 'Its log says why. Run it again when the cause is gone.',
    } as Record<string, string>,
  },
  failed: {
    title: 'Failed requests',
    one: 'Failed request',
    couldNotRead: 'The failed requests could not be read',
    none: 'No request has failed within 7 days',
    noneHint: 'Requests that fail come here with their log and their way through the stages.',
    noneFits: 'No failed request fits this filter',
    noneFitsHint: 'Failures are kept for 7 days.',
    count: (count: number) => plural(count, { one: '# failed request', other: '# failed requests' }),
    inStage: (stage: string, count: number) =>
      `${stage}: ${plural(count, { one: '# request', other: '# requests' })}`,
    find: 'Find in reasons, logs and ids',
    periods: { hour: 'Last hour', day: 'Last day', week: '7 days' },
    outcomes: { dead: 'dead letter', output: 'told to its owner' },
    went: { dead: 'It is a dead letter in', output: 'It went as failed to' },
    chooseStage: 'Type a stage to redrive all dead letters that match at once.',
    onlyDead: 'None of them is a dead letter: who sent them has them back, and sends them again',
    redriveOne: 'Redrive',
    redriveAll: 'Redrive all that match',
    redriveAction: (count: number) => plural(count, { one: 'Redrive #', other: 'Redrive #' }),
    redriveText: (count: number, queue: string) =>
      `${plural(count, { one: '# dead letter', other: '# dead letters' })} in ${queue} match, and go through the stage again. Those that fail once more come back here.`,
    redriven: (count: number) =>
      plural(count, {
        one: '# dead letter is on its way again',
        other: '# dead letters are on their way again',
      }),
    discard: 'Discard',
    discardAction: (count: number) => plural(count, { one: 'Discard #', other: 'Discard #' }),
    discardText: (count: number) =>
      plural(count, {
        one: '# dead letter is deleted, and its result is never made.',
        other: '# dead letters are deleted, and their results are never made.',
      }),
    discarded: (count: number) =>
      plural(count, { one: '# dead letter is deleted', other: '# dead letters are deleted' }),
    noneLeft: 'It is no dead letter any more: somebody has redriven or discarded it',
    sameReason: 'Others with this reason',
    sameBatch: 'Others of the same work',
    noOwner: 'a program that names no person',
    pipeline: 'Pipeline',
    request: 'Request',
    files: 'Files',
    way: 'Its way',
    statuses: { OK: 'done', Failed: 'failed' } as Record<string, string>,
    version: (version: number) => `version ${version}`,
    attempt: (attempt: number) => `attempt ${attempt}`,
    took: (time: string) => `after ${time}`,
    noLog: 'It left no log.',
    failedHere: 'failed here',
    notReached: 'not reached',
    columns: { reason: 'Reason', stage: 'Stage', owner: 'Owner', outcome: 'Outcome', at: 'Failed' },
  },
};

export default en;
export type Text = typeof en;
