import type { Node } from '../coordination.ts';
import { nodeChanged, nodeExists } from '../errors.ts';
import { createFlags, isRefusal, remove, setData } from './requests.ts';
import { type Held, toNode, type Znodes } from './znodes.ts';

/** Conditions of a write. */
interface Conditions {
  version: number | undefined;
  under: Held | undefined;
}

const largestVersion = 2 ** 31 - 1;

export async function getNode(znodes: Znodes, path: string): Promise<Node | undefined> {
  const [, state] = await Promise.all([znodes.catchUp(), znodes.read(path, false)]);
  return state?.node;
}

export async function getChildNodes(znodes: Znodes, parent: string): Promise<Node[]> {
  const [, names] = await Promise.all([znodes.catchUp(), znodes.list(parent, false)]);
  const states = await Promise.all(names.sort().map((name) => znodes.read(childPath(parent, name), false)));
  return states.flatMap((state) => state?.node ?? []);
}

export async function createNode(
  znodes: Znodes,
  path: string,
  value: string,
  ephemeral: boolean,
): Promise<Node> {
  const flags = ephemeral ? createFlags.ephemeral : createFlags.persistent;
  try {
    // An ephemeral node shows afterwards whether it is ours, so the request may be repeated.
    await znodes.make(znodes.names.node(path), value, flags, ephemeral);
    return toNode(path, value, { version: 0, ephemeralOwner: ephemeral ? znodes.client.id : 0n });
  } catch (error) {
    if (!isRefusal(error, 'nodeExists')) throw error;
    const state = error.repeated ? await znodes.read(path, false) : undefined;
    if (state?.stat.ephemeralOwner === znodes.client.id && state.node.value === value) return state.node;
    throw nodeExists(path, error);
  }
}

export async function setNode(
  znodes: Znodes,
  path: string,
  value: string,
  { version, under }: Conditions,
): Promise<Node> {
  const znode = znodes.names.node(path);
  for (;;) {
    try {
      const request = setData(znode, Buffer.from(value), serverVersion(path, version));
      return toNode(path, value, await znodes.write(request, under));
    } catch (error) {
      if (!isRefusal(error, 'noNode') || version !== undefined) throw orChanged(error, path, version);
    }
    try {
      await znodes.make(znode, value, createFlags.persistent, true, under);
      return toNode(path, value, { version: 0, ephemeralOwner: 0n });
    } catch (error) {
      // Another session was faster: replace its node.
      if (!isRefusal(error, 'nodeExists')) throw error;
    }
  }
}

export async function deleteNode(
  znodes: Znodes,
  path: string,
  { version, under }: Conditions,
): Promise<void> {
  try {
    await znodes.write(remove(znodes.names.node(path), serverVersion(path, version)), under);
  } catch (error) {
    if (!isRefusal(error, 'noNode') || version !== undefined) throw orChanged(error, path, version);
  }
}

export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** For the server a negative version means any. */
function serverVersion(path: string, version: number | undefined): number | undefined {
  if (version === undefined) return undefined;
  if (Number.isInteger(version) && version >= 1 && version <= largestVersion) return version - 1;
  throw nodeChanged(path, version);
}

function orChanged(error: unknown, path: string, version: number | undefined): unknown {
  const differs = isRefusal(error, 'badVersion') || isRefusal(error, 'noNode');
  return differs && version !== undefined ? nodeChanged(path, version, undefined, error) : error;
}
