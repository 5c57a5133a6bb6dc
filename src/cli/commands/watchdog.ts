import type { z } from 'zod';
import { watchdogPlan, watchdogStatus } from '../../engine/operation/operations/watchdog.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import { explainPlan, planColumns } from './explain-plan.ts';

/** What the policy guarantees to a worker or a stage; each policy has its own rule. */
function ruleOf({ policy, parameters }: z.output<typeof watchdogStatus.output>): Record<string, string> {
  const { minimumMessages, patienceMs, reconfigurationMs } = parameters;
  if (policy === 'flow') return { 'a stage is unserved': `at most about ${formatDuration(patienceMs)}` };
  return { 'a worker stays': `at least ${minimumMessages} messages + ${formatDuration(reconfigurationMs)}` };
}

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(watchdogStatus, {
    usage: 'status',
    show(status, { out }) {
      out.object(status, {
        leader: status.leader ?? 'none: is `pismak up` running?',
        policy: `${status.policy}, every ${formatDuration(status.parameters.periodMs)}`,
        ...ruleOf(status),
        'last plan': `${formatTime(status.lastPlanAt)}, took ${formatDuration(status.tookMs)}`,
        moved: status.moved,
      });
      out.say('');
      out.list(
        status.averages,
        [
          { title: 'stage', of: (row) => row.stage },
          { title: 'per message', of: (row) => formatDuration(row.averageMs), align: 'right' },
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
        'no worker has moved yet',
      );
    },
  });

  command(watchdogPlan, {
    usage: 'plan',
    examples: ['watchdog plan --explain'],
    show(plan, { out, options }) {
      out.list(plan.queues, planColumns(plan.queues, options.explain === true), 'no exclusive stages');
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
        'no worker would move',
      );
    },
  }).option('--explain', 'show how each number was computed and, for each move, what was compared');
};
export default add;
