import { clockAccept, clockShow } from '../../engine/operation/operations/clock.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  command(clockShow, {
    usage: 'show',
    say: ({ now, held }) =>
      held
        ? `it is ${formatTime(now)}; the clock jumped, so deletion by age is on hold until ${formatTime(held.until)}`
        : `it is ${formatTime(now)}; deletion by age is active`,
  });
  command(clockAccept, {
    usage: 'accept',
    say: () => 'the clock is accepted; deletion by age is active again',
  });
};
export default add;
