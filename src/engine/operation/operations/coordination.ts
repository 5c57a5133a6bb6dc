import { z } from 'zod';
import type { Node } from '../../coordination/coordination.ts';
import { PismakError } from '../../ground/errors.ts';
import { maskSecrets } from '../../log/mask-secrets.ts';
import { defineOperation } from '../operation.ts';
import { checkNodeValue } from './check-node-value.ts';
import { cut, page } from './inputs.ts';

const nodePath = z
  .string()
  .max(500)
  .regex(/^\/$|^(\/(?!\.{1,2}(\/|$))[^/\p{Cc}]+)+$/u, 'must be a path such as /workers/w1');

const nodeRow = z.strictObject({
  path: z.string(),
  name: z.string(),
  value: z.string(),
  version: z.number(),
  ephemeral: z.boolean(),
});

export const coordinationList = defineOperation({
  name: 'coordination.ls',
  summary: 'List the nodes below a path of the coordination tree',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ path: nodePath.default('/'), ...page }),
  output: z.strictObject({ nodes: z.array(nodeRow) }),
  example: { path: '/workers' },
  handler: async ({ engine }, { path, ...part }) => ({
    nodes: cut(await engine.coordination.children(path), part).map(toRow),
  }),
});

export const coordinationGet = defineOperation({
  name: 'coordination.get',
  summary: 'Show one node of the coordination tree',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ path: nodePath }),
  output: nodeRow,
  example: { path: '/workers/w1' },
  async handler({ engine }, { path }) {
    const node = await engine.coordination.get(path);
    if (!node) throw new PismakError('not-found', `there is no node ${path}`);
    return toRow(node);
  },
});

export const coordinationSet = defineOperation({
  name: 'coordination.set',
  summary: 'Write a node of the coordination tree by hand; with a version, only if the node still has it',
  role: 'admin',
  owner: 'none',
  changes: true,
  // Its value may have 400,000 characters in any alphabet.
  bodyLimit: 2 * 2 ** 20,
  input: z.strictObject({
    path: nodePath,
    value: z.string().max(400_000),
    version: z.int().min(0).optional().describe('Only if the node still has this version'),
  }),
  output: nodeRow,
  example: { path: '/notes/broker', value: 'moves to another machine on Sunday' },
  secrets: ['value'],
  async handler({ engine }, { path, value, version }) {
    checkNodeValue(path, value);
    return toRow(await engine.coordination.set(path, value, version === undefined ? {} : { version }));
  },
});

/** Addresses may contain passwords, which no caller needs to read. */
function toRow({ path, name, value, version, ephemeral }: Node): z.infer<typeof nodeRow> {
  return { path, name, value: maskSecrets(value), version, ephemeral };
}

export const coordinationOperations = [coordinationList, coordinationGet, coordinationSet];
