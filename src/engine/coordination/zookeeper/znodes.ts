import { messageOf, PismakError } from '../../ground/errors.ts';
import type { Hold, Node } from '../coordination.ts';
import { holdLost } from '../errors.ts';
import { nameOf, parentOf } from '../path.ts';
import type { ZookeeperClient } from './client.ts';
import { type Names, nodeName } from './names.ts';
import {
  create,
  createFlags,
  exists,
  getChildren,
  getData,
  isRefusal,
  onlyWhile,
  type Request,
  type Stat,
  sync,
  ZookeeperError,
} from './requests.ts';

/** The state of one of our nodes, read from its znode. */
export interface NodeState {
  readonly node: Node;
  readonly stat: Stat;
}

/** A hold of this session, and the znode that stands for it. */
export interface Held {
  readonly hold: Hold;
  readonly znode: string;
}

/** The operations that nodes, watches and holds are built on. */
export class Znodes {
  readonly client: ZookeeperClient;
  readonly names: Names;

  constructor(client: ZookeeperClient, names: Names) {
    this.client = client;
    this.names = names;
  }

  /** Reads after it see every write before it, of any session. */
  async catchUp(): Promise<void> {
    await this.write(sync(this.names.directory('/')));
  }

  /** With `watch`, the client calls the znode's listeners at the next change. */
  async read(path: string, watch: boolean): Promise<NodeState | undefined> {
    const znode = this.names.node(path);
    const found = await this.#get((again) => getData(znode, again), znode, watch);
    return found && { node: toNode(path, found.data.toString(), found.stat), stat: found.stat };
  }

  /** The names of the nodes in a directory. */
  async list(parent: string, watch: boolean): Promise<string[]> {
    const directory = this.names.directory(parent);
    const found = await this.#get((again) => getChildren(directory, again), directory, watch);
    return (found ?? []).flatMap((znode) => nodeName(znode) ?? []);
  }

  /** Creates a znode, after any missing directories above it. */
  async make(znode: string, value: string, flags: number, repeatable: boolean, under?: Held): Promise<void> {
    const request = create(znode, Buffer.from(value), flags, this.names.access, repeatable);
    for (;;) {
      try {
        return await this.write(request, under);
      } catch (error) {
        if (!isRefusal(error, 'noNode')) throw error;
      }
      // The server eventually removes an empty directory, so it can be missing again.
      await this.make(parentOf(znode), '', createFlags.container, true).catch((error: unknown) => {
        if (!isRefusal(error, 'nodeExists')) throw error;
      });
    }
  }

  async write<Answer>(request: Request<Answer>, under?: Held): Promise<Answer> {
    try {
      return await this.client.request(under ? onlyWhile(under.znode, request) : request);
    } catch (error) {
      if (under && isRefusal(error, 'noNode') && error.ofCondition) throw holdLost(under.hold, error);
      throw isExpected(error) ? error : unexpected(error);
    }
  }

  /** The answer of `request`, or undefined if the znode does not exist: then its creation is watched. */
  async #get<Answer>(
    request: (watch: boolean) => Request<Answer>,
    znode: string,
    watch: boolean,
  ): Promise<Answer | undefined> {
    for (;;) {
      const answer = await this.ifThere(request(watch));
      if (answer !== undefined || !watch) return answer;
      if (!(await this.ifThere(exists(znode, true)))) return undefined;
    }
  }

  async ifThere<Answer>(request: Request<Answer>): Promise<Answer | undefined> {
    try {
      return await this.write(request);
    } catch (error) {
      if (isRefusal(error, 'noNode')) return undefined;
      throw error;
    }
  }
}

/** ZooKeeper counts from 0, which in the port would read like "no version". */
export function toNode(path: string, value: string, { version, ephemeralOwner }: Omit<Stat, 'czxid'>): Node {
  return { path, name: nameOf(path), value, version: version + 1, ephemeral: ephemeralOwner !== 0n };
}

/** The caller handles these itself. */
function isExpected(error: unknown): boolean {
  const known = ['noNode', 'nodeExists', 'badVersion'] as const;
  return !(error instanceof ZookeeperError) || known.some((code) => isRefusal(error, code));
}

function unexpected(cause: unknown): PismakError {
  if (isRefusal(cause, 'noAuth')) {
    const why = 'the nodes belong to credentials other than those in the coordination URL';
    return new PismakError('forbidden', `ZooKeeper denied access: ${why}.`, { cause });
  }
  return new PismakError('unavailable', messageOf(cause), { cause });
}
