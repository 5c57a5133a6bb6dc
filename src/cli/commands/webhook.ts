import {
  secretCreate,
  secretDelete,
  secretList,
  secretRotate,
} from '../../engine/operation/operations/secret.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { duration } from '../../terminal/options/duration.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const secrets = group.command('secret').description('Secrets that sign webhooks');
  const command = operationCommands(secrets, shell);

  command(secretList, {
    usage: 'ls',
    columns: [
      { title: 'owner', of: (row) => row.owner },
      { title: 'created', of: (row) => formatTime(row.createdAt) },
      { title: 'signs until', of: (row) => formatTime(row.endsAt) },
      { title: 'id', of: (row) => row.id },
    ],
    empty: 'no secrets: webhooks are not signed',
  });
  command(secretCreate, {
    usage: 'create',
    examples: ['webhook secret create --owner anna'],
    show({ secret, owner }, { out }) {
      out.object({ secret, owner });
      out.say('Give the secret to your receiver now: it is not shown again');
    },
  });
  command(secretRotate, {
    usage: 'rotate',
    examples: ['webhook secret rotate --overlap 7d'],
    fields: {
      overlapMs: {
        flags: '--overlap <duration>',
        about: 'How long the old secret also signs (default: 24h); 0 if it has leaked',
        read: duration,
      },
    },
    show({ secret, owner, previousEndsAt }, { out }) {
      out.object({ secret, owner, 'old secret signs until': formatTime(previousEndsAt) });
      out.say('Give the secret to your receiver now: it is not shown again');
    },
  });
  command(secretDelete, {
    usage: 'delete',
    confirm: 'required, because webhooks are unsigned from then on',
    say: (_, { owner }) => `webhooks${owner === undefined ? '' : ` of ${owner}`} are no longer signed`,
  });
};
export default add;
