import { messageOf, PismakError } from '../../errors.ts';
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

/** What a znode says about a node of ours. */
export interface NodeState {
  readonly node: Node;
  readonly stat: Stat;
}

/** A hold of this session, and the znode that stands for it. */
export interface Held {
  readonly hold: Hold;
  readonly place: string;
}

/** The few things that nodes, watches and holds are made of. */
export class Znodes {
  readonly client: ZookeeperClient;
  readonly names: Names;

  constructor(client: ZookeeperClient, names: Names) {
    this.client = client;
    this.names = names;
  }

  /** Reads that are asked for after it see every write done before it, in whichever session. */
  async catchUp(): Promise<void> {
    await this.write(sync(this.names.directory('/')));
  }

  /** With `watch`, the client's listeners of the znode are told when this is no longer so. */
  async read(path: string, watch: boolean): Promise<NodeState | undefined> {
    const znode = this.names.node(path);
    const found = await this.#get((again) => getData(znode, again), znode, watch);
    return found && { node: toNode(path, found.data.toString(), found.stat), stat: found.stat };
  }

  /** Names of the nodes in it. */
  async list(parent: string, watch: boolean): Promise<string[]> {
    const directory = this.names.directory(parent);
    const found = await this.#get((again) => getChildren(directory, again), directory, watch);
    return (found ?? []).flatMap((znode) => nodeName(znode) ?? []);
  }

  /** Creates a znode, and first the directories it lies in when they are missing. */
  async make(znode: string, value: string, flags: number, repeatable: boolean, under?: Held): Promise<void> {
    const request = create(znode, Buffer.from(value), flags, this.names.access, repeatable);
    for (;;) {
      try {
        return await this.write(request, under);
      } catch (error) {
        if (!isRefusal(error, 'noNode')) throw error;
      }
      // A directory that is empty is removed by the server some day, so it can be missing again.
      await this.make(parentOf(znode), '', createFlags.container, true).catch((error: unknown) => {
        if (!isRefusal(error, 'nodeExists')) throw error;
      });
    }
  }

  async write<Answer>(request: Request<Answer>, under?: Held): Promise<Answer> {
    try {
      return await this.client.request(under ? onlyWhile(under.place, request) : request);
    } catch (error) {
      if (under && isRefusal(error, 'noNode') && error.ofCondition) throw holdLost(under.hold, error);
      throw isExpected(error) ? error : unexpected(error);
    }
  }

  /** The answer of `request`, or undefined when there is no such znode: then its creation is watched for. */
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
export function toNode(path: string, value: string, { version, owner }: Omit<Stat, 'createdBy'>): Node {
  return { path, name: nameOf(path), value, version: version + 1, ephemeral: owner !== 0n };
}

/** Whoever asked knows what to make of it. */
function isExpected(error: unknown): boolean {
  const known = ['noNode', 'nodeExists', 'badVersion'] as const;
  return !(error instanceof ZookeeperError) || known.some((code) => isRefusal(error, code));
}

function unexpected(cause: unknown): PismakError {
  if (isRefusal(cause, 'noAuth')) {
    const why = 'these nodes belong to other credentials than those in the coordination URL';
    return new PismakError('forbidden', `ZooKeeper does not let us in: ${why}`, { cause });
  }
  return new PismakError('unavailable', messageOf(cause), { cause });
}
