import {
  coordinationGet,
  coordinationList,
  coordinationSet,
} from '../../engine/operation/operations/coordination.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { textOrFile } from '../../terminal/options/option-values.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(coordinationList, {
    usage: 'ls [path]',
    columns: [
      { title: 'node', of: (row) => row.path },
      { title: 'version', of: (row) => row.version },
      { title: 'lives', of: (row) => (row.ephemeral ? 'with its session' : 'until deleted') },
      { title: 'value', of: (row) => row.value },
    ],
    empty: ({ path = '/' }) =>
      `no nodes directly below ${path}; try /workers, /presence, /stages, /watchdog or /servers`,
  });

  command(coordinationGet, { usage: 'get <path>', show: ({ value }, { out }) => out.text(value) });

  command(coordinationSet, {
    usage: 'set <path> <value>',
    examples: ['coordination set /notes/broker @note.txt --if-version 3'],
    fields: {
      value: { about: 'the value; @FILE reads it from a file', read: textOrFile },
      version: { flags: '--if-version <number>' },
    },
    say: ({ version }, { path }) => `${path} now has version ${version}`,
  });
};
export default add;
