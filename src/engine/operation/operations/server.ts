import { z } from 'zod';
import { maskSecrets } from '../../log/mask-secrets.ts';
import { checkServerUrl, serverNames, serversPath } from '../../servers/server-addresses.ts';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';
import { done } from './rows.ts';

export const serverList = defineOperation({
  name: 'server.ls',
  summary:
    'List the addresses of the servers, without credentials: those of this process and those announced to workers',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    servers: z.array(
      z.strictObject({
        name: z.enum(serverNames),
        url: z.string().describe('Address that this process uses'),
        announced: z.string().nullable().describe('Address announced to workers; null: none yet'),
      }),
    ),
  }),
  example: {},
  async handler({ engine }) {
    const nodes = await engine.coordination.children(serversPath);
    const announced = new Map(nodes.map((node) => [node.name, node.value]));
    const servers = serverNames.map((name) => {
      const told = announced.get(name);
      return {
        name,
        url: maskSecrets(engine.settings[name]),
        announced: told === undefined ? null : maskSecrets(told),
      };
    });
    return { servers };
  },
});

export const serverSet = defineOperation({
  name: 'server.set',
  summary: 'Announce the address of a server to workers; running workers follow it',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({ name: z.enum(serverNames), url: z.string().min(1).max(2000) }),
  output: done,
  example: { name: 'broker', url: 'sqlite:' },
  secrets: ['url'],
  async handler({ engine }, { name, url }) {
    checkServerUrl(name, url);
    await engine.coordination.set(`${serversPath}/${name}`, url);
    engine.changes.add({ kind: 'server', entity: name });
    return {};
  },
});

export const serverOperations = [serverList, serverSet];
