import { requestCancel } from '../../engine/operation/operations/request.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  command(requestCancel, { usage: 'cancel <uuid>', say: (_, { uuid }) => `request ${uuid} is cancelled` });
};
export default add;
