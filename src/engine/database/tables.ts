import type { Generated } from 'kysely';

/** The engine's own tables. Times are milliseconds since the epoch; `*Json` columns are JSON text. */
export interface EngineTables {
  stage: { name: string; version: number; definitionJson: string; updatedAt: number };
  stageVersion: {
    name: string;
    version: number;
    definitionJson: string;
    changedAt: number;
    changedBy: string;
  };
  pipeline: { name: string; stagesJson: string; owner: string; createdAt: number };
  /** Queues of finished requests, and their owners. */
  outputQueue: { name: string; owner: string; createdAt: number };
  /** What must not be worked on any more: `name` is the batch or the uuid of requests of `owner`. */
  cancelled: { owner: string; name: string; at: number };
  /** Submitted requests whose results have not been collected yet. */
  openRequest: {
    uuid: string;
    owner: string;
    output: string;
    /** The house that counts it against its limits; empty if none does. */
    house: string;
    /** How many times it was submitted under this uuid. */
    times: number;
    createdAt: number;
  };
  /** How much of a kind of work an owner had done in a month (`2026-01`, UTC), with all keys together. */
  usage: { owner: string; kind: string; month: string; count: number };

  account: {
    name: string;
    passwordHash: string;
    role: string;
    disabled: number;
    createdAt: number;
    /** 1: may send work before that of others. Administrators may anyway. */
    mayPrioritise: Generated<number>;
  };
  session: {
    tokenHash: string;
    account: string;
    createdAt: number;
    expiresAt: number;
    /** Where it was opened. */
    address: Generated<string>;
    /** Accurate to an hour. */
    lastUsedAt: number | null;
  };
  /** Names of deleted users. What they owned may still be there, so nobody else gets the name. */
  retiredName: { name: string; retiredAt: number; retiredBy: string };
  /** Failed sign-ins of late, per account, per address and per both; the subject is a hash. */
  signInFailure: {
    scope: string;
    subject: string;
    /** The account or address, for alerts; null for what exists nowhere. */
    shown: string | null;
    failures: number;
    lastAt: number;
    /** When a caller that was put off may try. */
    turnAt: Generated<number>;
  };
  apiKey: {
    id: string;
    hash: string;
    name: string;
    owner: string;
    role: string;
    /** Operation names or prefixes (`stage.`) that the key may call; `*` for all that its role may call. */
    scopesJson: string;
    createdAt: number;
    lastUsedAt: number | null;
    uses: number;
    revokedAt: number | null;
    expiresAt: number | null;
  };
  audit: {
    id: string;
    at: number;
    actor: string;
    operation: string;
    inputJson: string;
    outcome: string;
    address: string;
    /** How often the same happened; `lastAt` says when last if that is more than once. */
    count: Generated<number>;
    lastAt: number | null;
    /** Whose thing an administrator read. */
    owner: string | null;
  };
  /** What signs the webhooks of an owner. `endsAt` is set when a newer one replaces it. */
  webhookSecret: { id: string; owner: string; value: string; createdAt: number; endsAt: number | null };
  /** Small values of the installation, such as the one-time set-up token. */
  secret: { name: string; value: string; createdAt: number };

  outbox: {
    id: string;
    queue: string;
    messageId: string;
    lane: string;
    headersJson: string;
    body: Uint8Array;
    createdAt: number;
  };
  backlog: {
    id: string;
    /** Items of a queue are released fairly between owners. */
    queue: string;
    owner: string;
    weight: number;
    /** The document, campaign or the like it belongs to, for pause and cancel. */
    batch: string;
    /** The later stages it goes through, separated by commas: it waits here while one of their queues is long. */
    route: Generated<string>;
    messageId: string;
    lane: string;
    headersJson: string;
    body: Uint8Array;
    notBefore: number;
    paused: number;
    createdAt: number;
  };
  schedule: { name: string; definitionJson: string; enabled: number; owner: string; updatedAt: number };
  scheduleRun: {
    id: string;
    schedule: string;
    /** The moment it runs for. Unique with the schedule's name, so that a tick runs once in the cluster. */
    tick: string;
    status: string;
    parametersJson: string;
    startedAt: number;
    endedAt: number | null;
    log: string;
    fence: number;
  };
  alert: {
    id: string;
    kind: string;
    entity: string;
    reason: string;
    detailsJson: string;
    raisedAt: number;
    lastSeenAt: number;
    clearedAt: number | null;
    seen: number;
  };
  /** What the watchdog saw from `since` to `until`; `size` is that of the JSON. */
  trace: { id: string; since: number; until: number; whole: number; size: number; eventsJson: string };
  blobRef: { hash: string; owner: string; createdAt: number };
  /** Recent uploaders of a blob, who may therefore use it by its hash. */
  blobPut: {
    hash: string;
    owner: string;
    at: number;
    /** 0 once something uses the blob, and for blobs put by an older version. */
    size: Generated<number>;
  };
  /** Uploads in parts, and complete uploads that nothing uses yet. */
  upload: {
    id: string;
    owner: string;
    createdAt: number;
    /** open: takes parts | closed: takes no more, the parts are being joined | finished: `hash` names the blob */
    state: Generated<string>;
    hash: string | null;
    size: Generated<number>;
  };
  uploadPart: { upload: string; offset: number; size: number; hash: string };
  /** When a blob was first found without an owner. It is deleted a day later. */
  blobOrphan: { hash: string; since: number };

  /** Moments that the installation remembers: that it could write, and the last time it saw. */
  moment: { name: string; at: number };

  coordinationNode: { path: string; value: string; version: number };
  coordinationFence: { path: string; fence: number };
}
