import type { PismakError } from '../../ground/errors.ts';
import type { Arguments, CommandName, Result } from './commands.ts';
import type { Batch, NewMessage } from './protocol.ts';

/** Batches that may be outstanding: one being committed and one ready to follow. */
const maxOutstanding = 2;
/** Inserts per batch. Small enough to fit into what consumers read ahead while they keep up. */
const maxInserts = 250;
/** A batch ends with the insert that fills it, so a single larger insert still gets through. */
const maxBytes = 8 * 1024 * 1024;

interface Entry {
  command: CommandName;
  parameters: readonly unknown[];
  body: Uint8Array | undefined;
  done: (result: unknown) => void;
  failed: (error: PismakError) => void;
  state: 'gathering' | 'sent' | 'dropped';
}

/** A write that is not awaited, and that can be dropped until it is sent. */
export interface LazyWrite {
  /** Whether it was dropped in time. */
  drop(): boolean;
}

/**
 * Gathers commands while earlier ones are being committed, and sends all that wait as one batch. A command is *gathering*,
 * then *sent* in a batch, then done or failed; a lazy one may be *dropped* while it is gathering. Callbacks run in the order
 * of the commands, so the counters in memory follow the disk step by step.
 */
export class GroupCommit {
  #send: (batch: Batch) => void;
  #gathering: Entry[] = [];
  /**
   * New messages go last: when acks overtake them, consumers keep up with publishers, the file stays small and new
   * messages need not be read back (20,000 jobs at once: 76,000 instead of 44,000 a second).
   */
  #inserts: Entry[] = [];
  #outstanding: Entry[][] = [];
  #scheduled = false;
  #ended: PismakError | undefined;
  #idle: (() => void)[] = [];

  constructor(send: (batch: Batch) => void) {
    this.#send = send;
  }

  run<Name extends CommandName>(
    command: Name,
    parameters: Arguments<Name>,
    done: (result: Result<Name>) => void,
    failed: (error: PismakError) => void,
  ): void {
    const whenDone = done as (result: unknown) => void;
    this.#add(this.#gathering, {
      command,
      parameters,
      body: undefined,
      done: whenDone,
      failed,
      state: 'gathering',
    });
  }

  runLazily<Name extends CommandName>(command: Name, parameters: Arguments<Name>): LazyWrite {
    const ignore = () => {};
    const entry: Entry = {
      command,
      parameters,
      body: undefined,
      done: ignore,
      failed: ignore,
      state: 'gathering',
    };
    this.#add(this.#gathering, entry);
    return {
      drop() {
        if (entry.state === 'sent') return false;
        entry.state = 'dropped';
        return true;
      },
    };
  }

  insert(
    message: NewMessage,
    body: Uint8Array,
    done: () => void,
    failed: (error: PismakError) => void,
  ): void {
    this.#add(this.#inserts, {
      command: 'insert',
      parameters: message,
      body,
      done,
      failed,
      state: 'gathering',
    });
  }

  /** The oldest outstanding batch is committed, except for the commands in `problems`. */
  committed(values: readonly unknown[], problems: ReadonlyMap<number, PismakError>): void {
    const batch = this.#outstanding.shift() ?? [];
    this.#schedule();
    for (const [index, entry] of batch.entries()) {
      const problem = problems.get(index);
      if (problem) entry.failed(problem);
      else entry.done(values[index]);
    }
    this.#checkIdle();
  }

  /** Resolves when nothing waits or is outstanding. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#checkIdle();
    });
  }

  /** Fails all waiting and future commands. */
  end(error: PismakError): void {
    this.#ended ??= error;
    const entries = [
      ...this.#outstanding.splice(0).flat(),
      ...this.#gathering.splice(0),
      ...this.#inserts.splice(0),
    ];
    for (const entry of entries) entry.failed(error);
    this.#checkIdle();
  }

  get #waiting(): number {
    return this.#gathering.length + this.#inserts.length;
  }

  #add(list: Entry[], entry: Entry): void {
    if (this.#ended) {
      entry.failed(this.#ended);
    } else {
      list.push(entry);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting === 0 || this.#outstanding.length >= maxOutstanding) return;
    this.#scheduled = true;
    // Wait for the end of this turn of the event loop, to take along its other commands.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    // Send all other commands: there are never more than consumers hold, and a handler's charge must not come after the
    // messages that the handler published.
    const entries = this.#gathering.splice(0).filter((entry) => entry.state !== 'dropped');
    let bytes = 0;
    let inserts = 0;
    for (const { body } of this.#inserts) {
      if (inserts >= maxInserts || bytes >= maxBytes) break;
      inserts++;
      bytes += body?.length ?? 0;
    }
    entries.push(...this.#inserts.splice(0, inserts));
    for (const entry of entries) entry.state = 'sent';
    if (entries.length > 0) {
      this.#outstanding.push(entries);
      this.#send(pack(entries, bytes));
    }
    this.#schedule();
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.#waiting + this.#outstanding.length > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Packs all bodies into one buffer, which is transferred to the thread instead of copied. */
function pack(entries: readonly Entry[], bytes: number): Batch {
  const bodies = new Uint8Array(bytes);
  let offset = 0;
  const calls: Batch['calls'] = [];
  for (const { command, parameters, body } of entries) {
    if (!body) {
      calls.push([command, parameters]);
    } else {
      bodies.set(body, offset);
      offset += body.length;
      calls.push([command, parameters, body.length]);
    }
  }
  return { calls, bodies };
}
