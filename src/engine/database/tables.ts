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
  pipeline: {
    name: string;
    stagesJson: string;
    owner: string;
    createdAt: number;
    /** Grows with each change of the stages. */
    version: Generated<number>;
    changedAt: number | null;
    changedBy: string | null;
  };
  /** Queues of finished requests, and their owners. */
  outputQueue: { name: string; owner: string; createdAt: number };
  /** Cancelled work: `name` is the batch or the uuid of requests of `owner`. */
  cancelled: { owner: string; name: string; at: number };
  /** Requests that failed within the last week: failed-requests.ts. */
  failedRequest: {
    owner: string;
    uuid: string;
    /** Id of the message: that of the dead letter, if it is one. */
    message: string;
    /** In which it failed. */
    stage: string;
    pipeline: string;
    batch: string;
    /** output: it went to its output queue as failed | dead: it is a dead letter */
    outcome: string;
    /** Where it went. */
    queue: string;
    attempt: number;
    reason: string;
    detailsJson: string;
    startedAt: number | null;
    failedAt: number;
  };
  /** Addresses of pages that people saved under a name. */
  savedView: { owner: string; page: string; name: string; address: string; changedAt: number };
  /** Submitted requests whose results have not been collected yet. */
  openRequest: {
    uuid: string;
    owner: string;
    output: string;
    /** The house that counts it against its limits; empty if no house does. */
    house: string;
    /** How many times it was submitted under this uuid. */
    times: number;
    createdAt: number;
  };
  /** The amount of each kind of work done for an owner in a month (`2026-01`, UTC), with all keys together. */
  usage: { owner: string; kind: string; month: string; count: number };

  account: {
    name: string;
    passwordHash: string;
    role: string;
    disabled: number;
    createdAt: number;
    /** 1: may submit work ahead of other users' work. Administrators always may. */
    mayPrioritise: Generated<number>;
    /** Grows when an administrator changes role, right or state. */
    version: Generated<number>;
    changedAt: number | null;
    changedBy: string | null;
  };
  session: {
    tokenHash: string;
    account: string;
    createdAt: number;
    expiresAt: number;
    /** The address from which it was opened. */
    address: Generated<string>;
    /** Accurate to an hour. */
    lastUsedAt: number | null;
  };
  /** Names of deleted users. Their things may still exist, so nobody else gets the name. */
  retiredName: { name: string; retiredAt: number; retiredBy: string };
  /** Recent failed sign-ins, per account, per address and per both; the subject is a hash. */
  signInFailure: {
    scope: string;
    subject: string;
    /** The account or address, for alerts; null if it does not exist. */
    shown: string | null;
    failures: number;
    lastAt: number;
    /** When a delayed caller may try again. */
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
    /** How often the same entry occurred; `lastAt` is the last time if more than once. */
    count: Generated<number>;
    lastAt: number | null;
    /** The owner of the thing that an administrator read. */
    owner: string | null;
  };
  /** The secrets that sign an owner's webhooks. `endsAt` is set when a newer secret replaces it. */
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
    /** The document, campaign or similar unit it belongs to, for pause and cancel. */
    batch: string;
    /** The later stages that it passes, separated by commas: it waits here while one of their queues is long. */
    route: Generated<string>;
    messageId: string;
    lane: string;
    headersJson: string;
    body: Uint8Array;
    notBefore: number;
    paused: number;
    createdAt: number;
  };
  schedule: {
    name: string;
    definitionJson: string;
    enabled: number;
    owner: string;
    updatedAt: number;
    /** Grows with each change of the definition. */
    version: Generated<number>;
    /** Who made this version. */
    changedBy: string | null;
  };
  scheduleRun: {
    id: string;
    schedule: string;
    /** The tick that it runs for. Unique with the schedule's name, so that a tick runs once in the cluster. */
    tick: string;
    status: string;
    parametersJson: string;
    startedAt: number;
    endedAt: number | null;
    log: string;
    fence: number;
    /** Who asked to cancel it; its status changes when it has ended. */
    cancelledBy: string | null;
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
    /** The reason for programs: code and parameters. */
    sentenceJson: string | null;
    /** Who has taken notice of it, when, and what they said about it. */
    acknowledgedBy: string | null;
    acknowledgedAt: number | null;
    note: string | null;
    /** Until then nobody is notified. */
    mutedUntil: number | null;
    mutedBy: string | null;
  };
  /** What the watchdog saw from `since` to `until`; `size` is the size of the JSON. */
  trace: { id: string; since: number; until: number; whole: number; size: number; eventsJson: string };
  /** The latest log lines and failures of a worker. */
  workerJournal: { worker: string; linesJson: string; failuresJson: string; updatedAt: number };
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
    /** open: takes parts | closed: takes no more parts, which are being joined | finished: `hash` names the blob */
    state: Generated<string>;
    hash: string | null;
    size: Generated<number>;
    /** What `hash` must be, if the sender announced it. */
    expectedHash: Generated<string | null>;
  };
  uploadPart: { upload: string; offset: number; size: number; hash: string };
  /** When a blob was first found without an owner. It is deleted a day later. */
  blobOrphan: { hash: string; since: number };

  /** Times that the installation remembers: when it was last able to write, and when it last ran. */
  moment: { name: string; at: number };

  /** The latest changes, for everyone in the cluster who watches. Rows of `change` appear in the order of their ids. */
  change: { id: number; changeJson: string };
  /** The last id. */
  changeCount: { name: string; last: number };

  /** What the sampler saw in a minute or an hour; `at` is its beginning. */
  history: { resolution: 'minute' | 'hour'; at: number; samples: number; valuesJson: string };

  coordinationNode: { path: string; value: string; version: number };
  coordinationFence: { path: string; fence: number };
}
