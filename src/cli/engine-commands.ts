import type { CommandGroup } from '../engine/house.ts';

/** The engine's own commands, under the headings of `pismak --help`. */
export const engineCommands: Readonly<Record<string, Readonly<Record<string, CommandGroup>>>> = {
  Start: {
    up: { summary: 'Start everything: API, workers, watchdog', load: () => import('./commands/up.ts') },
    status: {
      summary: 'Show health, queues, workers and rates at a glance',
      load: () => import('./commands/status.ts'),
    },
  },
  'Stages and requests': {
    stage: { summary: 'Define and change stages', load: () => import('./commands/stage.ts') },
    pipeline: { summary: 'Name lists of stages', load: () => import('./commands/pipeline.ts') },
    publish: { summary: 'Send files through stages', load: () => import('./commands/publish.ts') },
    results: { summary: 'Collect finished requests', load: () => import('./commands/results.ts') },
    request: {
      summary: 'Cancel requests, and show why some failed',
      load: () => import('./commands/request.ts'),
    },
    timing: {
      summary: 'Show where finished requests spent their time',
      load: () => import('./commands/timing.ts'),
    },
    dummy: { summary: 'Generate load: send random requests', load: () => import('./commands/dummy.ts') },
    queue: {
      summary: 'Look into queues, pause them, handle dead letters',
      load: () => import('./commands/queue.ts'),
    },
    upload: {
      summary: 'List and delete uploads that nothing uses yet',
      load: () => import('./commands/upload.ts'),
    },
    schedule: {
      summary: 'Run tasks and submit requests on a schedule',
      load: () => import('./commands/schedule.ts'),
    },
  },
  'Workers and watchdog': {
    worker: { summary: 'List, run and control workers', load: () => import('./commands/worker.ts') },
    watchdog: {
      summary: 'Show how the watchdog assigns workers, and why',
      load: () => import('./commands/watchdog.ts'),
    },
    trace: {
      summary: 'Draw which worker served which stage, and how long the queues were',
      load: () => import('./commands/trace.ts'),
    },
    history: {
      summary: 'Show lengths of queues and rates of stages over the last day or month',
      load: () => import('./commands/history.ts'),
    },
    simulate: {
      summary: 'Try watchdog policies on a workload, in virtual time',
      load: () => import('./commands/simulate.ts'),
    },
  },
  Administration: {
    user: { summary: 'Manage user accounts', load: () => import('./commands/user.ts') },
    key: { summary: 'Manage API keys', load: () => import('./commands/key.ts') },
    session: { summary: 'List and end sessions of users', load: () => import('./commands/session.ts') },
    view: { summary: 'Save addresses of the console under a name', load: () => import('./commands/view.ts') },
    audit: { summary: 'Show who changed what', load: () => import('./commands/audit.ts') },
    alert: { summary: 'Show what is wrong', load: () => import('./commands/alert.ts') },
    webhook: {
      summary: 'Manage the secrets that sign webhooks',
      load: () => import('./commands/webhook.ts'),
    },
    event: { summary: 'Show recent events', load: () => import('./commands/event.ts') },
    config: {
      summary: 'Show every setting and where its value comes from',
      load: () => import('./commands/config.ts'),
    },
    system: {
      summary: 'Show components, versions, disks, certificates and licences of a server',
      load: () => import('./commands/system.ts'),
    },
    server: {
      summary: 'Show and change the addresses of the servers',
      load: () => import('./commands/server.ts'),
    },
    coordination: {
      summary: 'Show and change nodes of the coordination tree',
      load: () => import('./commands/coordination.ts'),
    },
    stack: {
      summary: 'Run RabbitMQ, ZooKeeper and PostgreSQL on this machine, to try the at-scale tier',
      load: () => import('./commands/stack.ts'),
    },
    clock: {
      summary: 'Show the time, and accept it after a jump',
      load: () => import('./commands/clock.ts'),
    },
    backup: {
      summary: 'Back up everything to one file, without stopping',
      load: () => import('./commands/backup.ts'),
    },
    restore: {
      summary: 'Restore a data directory from a backup',
      load: () => import('./commands/restore.ts'),
    },
    doctor: {
      summary: 'Check the installation and suggest remedies',
      load: () => import('./commands/doctor.ts'),
    },
  },
};
