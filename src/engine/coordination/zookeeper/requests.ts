import { type JuteReader, JuteWriter } from './jute.ts';

/** A request to the server. */
export interface Request<Answer> {
  readonly type: number;
  readonly body: Buffer;
  decode(reader: JuteReader): Answer;
  /** Idempotent: may be sent again if a connection broke before the answer. */
  readonly repeatable: boolean;
}

/** The part of a znode's metadata that we use. */
export interface Stat {
  /** The id (zxid) of the transaction that created it. These ids only grow, across the ensemble. */
  czxid: bigint;
  version: number;
  /** The session of an ephemeral znode, else 0. */
  ephemeralOwner: bigint;
}

export interface AccessRule {
  scheme: string;
  id: string;
}

export const createFlags = { persistent: 0, ephemeral: 1, ephemeralSequential: 3, container: 4 } as const;

const types = {
  create: 1,
  createContainer: 19,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAccess: 6,
  setAccess: 7,
  getChildren: 8,
  sync: 9,
  check: 13,
  multi: 14,
  sasl: 102,
  closeSession: -11,
} as const;
const allPermissions = 31;
const anyVersion = -1;
const failed = -1;

export function exists(path: string, watch: boolean): Request<Stat> {
  return read(types.exists, path, watch, readStat);
}

export function getData(path: string, watch: boolean): Request<{ data: Buffer; stat: Stat }> {
  return read(types.getData, path, watch, (reader) => ({ data: reader.bytes(), stat: readStat(reader) }));
}

export function getChildren(path: string, watch: boolean): Request<string[]> {
  return read(types.getChildren, path, watch, (reader) => reader.texts());
}

/** Later reads of the same session see everything that any session did before it. */
export function sync(path: string): Request<string> {
  const body = new JuteWriter().text(path).finish();
  return { type: types.sync, body, decode: (reader) => reader.text(), repeatable: true };
}

export function create(
  path: string,
  data: Buffer,
  flags: number,
  access: AccessRule,
  repeatable: boolean,
): Request<void> {
  const body = new JuteWriter().text(path).bytes(data);
  body.int(1).int(allPermissions).text(access.scheme).text(access.id).int(flags);
  const type = flags === createFlags.container ? types.createContainer : types.create;
  return { type, body: body.finish(), decode: () => {}, repeatable };
}

export function setData(path: string, data: Buffer, version = anyVersion): Request<Stat> {
  const body = new JuteWriter().text(path).bytes(data).int(version).finish();
  return { type: types.setData, body, decode: readStat, repeatable: version === anyVersion };
}

export function remove(path: string, version = anyVersion): Request<void> {
  const body = new JuteWriter().text(path).int(version).finish();
  return { type: types.delete, body, decode: () => {}, repeatable: version === anyVersion };
}

/** Does `request` only if a znode exists at `path`. */
export function onlyWhile<Answer>(path: string, request: Request<Answer>): Request<Answer> {
  const check = new JuteWriter().text(path).int(anyVersion).finish();
  const body = new JuteWriter();
  body.raw(multiHeader(types.check)).raw(check).raw(multiHeader(request.type)).raw(request.body);
  body.int(-1).boolean(true).int(-1);
  const decode = (reader: JuteReader) => {
    for (let index = 0; index < 2; index++) {
      const type = reader.int();
      reader.skip(5);
      if (type === failed) {
        const code = reader.int();
        if (code !== 0) throw new ZookeeperError(code, { ofCondition: index === 0 });
      } else if (type === request.type) return request.decode(reader);
    }
    throw new RangeError('An answer is missing');
  };
  return { type: types.multi, body: body.finish(), decode, repeatable: request.repeatable };
}

export function getAccess(path: string): Request<AccessRule[]> {
  const body = new JuteWriter().text(path).finish();
  const decode = (reader: JuteReader) =>
    Array.from({ length: Math.max(0, reader.int()) }, () => {
      reader.skip(4);
      return { scheme: reader.text(), id: reader.text() };
    });
  return { type: types.getAccess, body, decode, repeatable: true };
}

export function setAccess(path: string, access: AccessRule): Request<void> {
  const body = new JuteWriter().text(path).int(1).int(allPermissions).text(access.scheme).text(access.id);
  return { type: types.setAccess, body: body.int(anyVersion).finish(), decode: () => {}, repeatable: true };
}

/** One step of SASL. The server answers with nothing if it has no SASL. */
export function saslToken(token: Buffer): Request<Buffer> {
  const body = new JuteWriter().bytes(token).finish();
  return { type: types.sasl, body, decode: (reader) => Buffer.from(reader.bytes()), repeatable: false };
}

export const closeSession: Request<void> = {
  type: types.closeSession,
  body: Buffer.alloc(0),
  decode: () => {},
  repeatable: true,
};

export const errorCodes = {
  marshalling: -5,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  sessionExpired: -112,
  authFailed: -115,
  sessionMoved: -118,
  saslRequired: -124,
} as const;

/** The server's refusal of one request. */
export class ZookeeperError extends Error {
  readonly code: number;
  /** The condition of `onlyWhile` was false. */
  readonly ofCondition: boolean;
  /** The request was sent before, and may have succeeded then. */
  readonly repeated: boolean;

  constructor(code: number, how: { ofCondition?: boolean; repeated?: boolean } = {}) {
    const name = Object.entries(errorCodes).find(([, known]) => known === code)?.[0];
    super(`ZooKeeper refused with code ${code}${name ? ` (${name})` : ''}`);
    this.code = code;
    this.ofCondition = how.ofCondition ?? false;
    this.repeated = how.repeated ?? false;
  }
}

export function isRefusal(error: unknown, code: keyof typeof errorCodes): error is ZookeeperError {
  return error instanceof ZookeeperError && error.code === errorCodes[code];
}

function read<Answer>(
  type: number,
  path: string,
  watch: boolean,
  decode: (reader: JuteReader) => Answer,
): Request<Answer> {
  return { type, body: new JuteWriter().text(path).boolean(watch).finish(), decode, repeatable: true };
}

function multiHeader(type: number): Buffer {
  return new JuteWriter().int(type).boolean(false).int(-1).finish();
}

function readStat(reader: JuteReader): Stat {
  const czxid = reader.long();
  // Last modifying transaction, and the times of creation and modification.
  reader.skip(3 * 8);
  const version = reader.int();
  // Versions of its children and of its access rules.
  reader.skip(2 * 4);
  const ephemeralOwner = reader.long();
  // Its size, its number of children, and their last modifying transaction.
  reader.skip(2 * 4 + 8);
  return { czxid, version, ephemeralOwner };
}
