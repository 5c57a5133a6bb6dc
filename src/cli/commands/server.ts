import type { AddGroup } from '../../terminal/command-group.ts';

interface Server {
  name: string;
  url: string;
  announced: string | null;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List the addresses of the servers, without credentials', 'server ls').action(
    run(async ({ client, out }) => {
      const { servers } = await (await client()).call<{ servers: Server[] }>('server.ls');
      out.list(servers, [
        { title: 'server', of: (row) => row.name },
        { title: 'this process uses', of: (row) => row.url },
        { title: 'workers are told', of: (row) => row.announced },
      ]);
    }),
  );

  command(
    group,
    'set <server> <url>',
    'Tell workers the address of broker, coordination, database or blobs; those that run follow it',
    'server set broker sqlite:',
  ).action(
    run(async ({ client, out }, name, url) => {
      await (await client()).call('server.set', { name, url });
      out.say(`workers are told the new address of ${name}`);
    }),
  );
};
export default add;
