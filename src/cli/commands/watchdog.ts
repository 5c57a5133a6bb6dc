import type { Plan } from '../../engine/watchdog/policy.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import { explainPlan, planColumns } from './explain-plan.ts';

interface Move {
  worker: string;
  from: string | null;
  to: string;
  reason: string;
}

interface Status {
  leader: string | null;
  policy: string;
  parameters: { periodMs: number; minimumMessages: number; reconfigurationMs: number };
  lastPlanAt: number | null;
  tookMs: number | null;
  moved: number;
  latest: (Move & { at: number })[];
  averages: { stage: string; averageMs: number }[];
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'status',
    'Show who leads, what was done last and how long messages take',
    'watchdog status',
  ).action(
    run(async ({ client, out }) => {
      const status = await (await client()).call<Status>('watchdog.status');
      if (out.json) return out.object(status);
      const { periodMs, minimumMessages, reconfigurationMs } = status.parameters;
      out.object(status, {
        leader: status.leader ?? 'nobody: is `pismak up` running?',
        policy: `${status.policy}, every ${formatDuration(periodMs)}`,
        'stays at least': `${minimumMessages} messages + ${formatDuration(reconfigurationMs)}`,
        'last plan': `${formatTime(status.lastPlanAt)}, took ${formatDuration(status.tookMs)}`,
        moved: status.moved,
      });
      out.say('');
      out.list(
        status.averages,
        [
          { title: 'stage', of: (row) => row.stage },
          { title: 'one takes', of: (row) => formatDuration(row.averageMs), align: 'right' },
        ],
        'no stages',
      );
      out.say('');
      out.list(
        status.latest,
        [
          { title: 'moved', of: (row) => formatTime(row.at) },
          { title: 'worker', of: (row) => row.worker },
          { title: 'from', of: (row) => row.from },
          { title: 'to', of: (row) => row.to },
          { title: 'why', of: (row) => row.reason },
        ],
        'nothing was moved yet',
      );
    }),
  );

  command(
    group,
    'plan',
    'Show what the watchdog would do now and why, without doing it',
    'watchdog plan',
    'watchdog plan --explain',
  )
    .option('--explain', 'show how each number came about, and for each move what was compared')
    .action(
      run<{ explain?: boolean }>(async ({ client, out, options }) => {
        const plan = await (await client()).call<Plan>('watchdog.plan');
        if (out.json) return out.object(plan);
        out.list(plan.queues, planColumns(plan.queues, options.explain ?? false), 'no exclusive stages');
        out.say('');
        if (options.explain) return explainPlan(plan, out);
        out.list(
          plan.assignments,
          [
            { title: 'worker', of: (row) => row.worker },
            { title: 'from', of: (row) => row.from },
            { title: 'to', of: (row) => row.to },
            { title: 'why', of: (row) => row.reason },
          ],
          'nothing would be moved',
        );
      }),
    );
};
export default add;
