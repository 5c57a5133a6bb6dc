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
        ? `it is ${formatTime(now)}; the clock jumped, so nothing is deleted for its age until ${formatTime(held.until)}`
        : `it is ${formatTime(now)}; nothing is held back`,
  });
  command(clockAccept, { usage: 'accept', say: () => 'the clock is right; old things are deleted again' });
};
export default add;
