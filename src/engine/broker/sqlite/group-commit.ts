import type { PismakError } from '../../errors.ts';
import type { Arguments, CommandName, Result } from './commands.ts';
import type { Batch, NewMessage } from './protocol.ts';

/** Batches that may be on their way at once: one is being committed, the next lies ready. */
const maxOutstanding = 2;
/** Inserts of one batch. Small enough that what is published while consumers keep up fits into what they read ahead. */
const maxInserts = 250;
/** A batch ends with the insert that fills it, so a single larger one still gets through. */
const maxBytes = 8 * 1024 * 1024;

interface Entry {
  command: CommandName;
  parameters: readonly unknown[];
  body: Uint8Array | undefined;
  done: (result: unknown) => void;
  failed: (error: PismakError) => void;
  state: 'gathering' | 'sent' | 'dropped';
}

/** A write that nobody waits for, and that can be taken back until it is sent. */
export interface LazyWrite {
  /** Whether it was still here. */
  drop(): boolean;
}

/**
 * Gathers commands while earlier ones are being committed, and sends those that wait together as one batch. Callbacks are
 * called in the order in which the commands ran: what is counted in memory follows what is on disk, step by step.
 */
export class GroupCommit {
  #send: (batch: Batch) => void;
  #gathering: Entry[] = [];
  /**
   * New messages go last: when acks overtake them, consumers keep up with publishers, the file stays small and what was
   * published needs no reading (20,000 jobs at once: 76,000 instead of 44,000 a second).
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

  /** The oldest outstanding batch has been committed, but for some of its commands perhaps. */
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

  /** Resolves when nothing waits or is on its way. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#checkIdle();
    });
  }

  /** Fails everything that waits and all that comes. */
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
    // Not at once: what the same turn of the event loop asks for goes along.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    // All but the inserts: there are never more than consumers hold, and a handler's charge must not come after what
    // the handler published.
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

/** All bodies go in one piece of memory: handed over instead of copied one by one, and none is left to collect. */
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
