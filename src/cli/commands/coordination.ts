import type { AddGroup } from '../../terminal/command-group.ts';
import { textOrFile, wholeNumber } from '../../terminal/options/option-values.ts';
import type { Column } from '../../terminal/output/table.ts';

interface Node {
  path: string;
  name: string;
  value: string;
  version: number;
  ephemeral: boolean;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'ls [path]',
    'List the nodes below a path',
    'coordination ls',
    'coordination ls /workers',
  ).action(
    run(async ({ client, out }, path = '/') => {
      const { nodes } = await (await client()).call<{ nodes: Node[] }>('coordination.ls', { path });
      const columns: Column<Node>[] = [
        { title: 'node', of: (row) => row.path },
        { title: 'version', of: (row) => row.version },
        { title: 'lives', of: (row) => (row.ephemeral ? 'with its session' : 'until deleted') },
        { title: 'value', of: (row) => row.value },
      ];
      out.list(
        nodes,
        columns,
        `no nodes right below ${path}; look at /workers, /presence, /stages, /watchdog or /servers`,
      );
    }),
  );

  command(group, 'get <path>', 'Print the value of a node', 'coordination get /workers/host-1').action(
    run(async ({ client, out }, path) => {
      const node = await (await client()).call<Node>('coordination.get', { path });
      if (out.json) out.object(node);
      else out.text(node.value);
    }),
  );

  command(
    group,
    'set <path> <value>',
    'Write a node by hand; @FILE reads the value from a file',
    'coordination set /notes/broker "moves on Sunday"',
    'coordination set /notes/broker @note.txt --if-version 3',
  )
    .option('--if-version <number>', 'only if the node still has this version', wholeNumber)
    .action(
      run<{ ifVersion?: number }>(async ({ client, out, options }, path, value) => {
        const input = { path, value: textOrFile(value ?? ''), version: options.ifVersion };
        const node = await (await client()).call<Node>('coordination.set', input);
        if (out.json) out.object(node);
        else out.say(`${path} has version ${node.version} now`);
      }),
    );
};
export default add;
