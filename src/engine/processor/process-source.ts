import { sweepWorkDirectories } from '../files/work-directory.ts';
import type { Clock } from '../time/clock.ts';
import { HostProcess } from './host-process.ts';
import type { StageVersion } from './host-protocol.ts';
import { sweepProcessFolders } from './process-folders.ts';
import type { Sandbox } from './sandbox.ts';

/** The next spare process starts this long after the work that took the last one: starting both at once would slow both. */
const replenishMs = 1_000;

/** Node can't change this limit later. It is only the last resort: each stage's own limit is watched from outside. */
const leastHeapMb = 2048;

/**
 * Provides processor processes to the workers of this Pismak process. One spare process is kept ready for all of them together,
 * so that the first message after a quiet time doesn't wait for Node to start.
 */
export class ProcessSource {
  readonly #clock: Clock;
  #spare: HostProcess | undefined;
  #keeps = false;
  #cancel = () => {};
  #heapMb = leastHeapMb;
  #sandbox: Sandbox | undefined;
  readonly #inputs: string;
  /** What the last process was used for: the next one is likely to be used for the same. */
  #network = false;
  #taken = 0;
  readonly #numbers = new WeakMap<HostProcess, number>();
  readonly #known = new Map<string, { version: number; taken: number }>();

  /** `inputs`: a directory, best on the device of the blobs, where processes get their bytes. */
  constructor(parts: { clock: Clock; inputs: string }) {
    this.#clock = parts.clock;
    this.#inputs = parts.inputs;
  }

  get spare(): HostProcess | undefined {
    return this.#spare;
  }

  /** Removes the bytes that killed processes were given, which may be confidential. */
  async sweep(): Promise<void> {
    await Promise.all([sweepWorkDirectories(), sweepProcessFolders(this.#inputs, this.#clock)]);
  }

  /** Sets how processes that start from now on are confined. */
  confine(sandbox: Sandbox | undefined): void {
    this.#sandbox = sandbox;
  }

  /** From now on, a spare process is kept ready. */
  keepSpare(): void {
    this.#keeps = true;
    this.#replenish();
  }

  /** Announces a stage that may need processes. */
  expect({ name, version, memoryMb }: StageVersion & { memoryMb: number }): void {
    if ((this.#known.get(name)?.version ?? 0) < version)
      this.#known.set(name, { version, taken: this.#taken });
    if (memoryMb <= this.#heapMb) return;
    this.#heapMb = memoryMb;
    void this.#spare?.close();
    this.#spare = undefined;
    this.#replenish();
  }

  /** A process in which no processor code has run yet. */
  take(memoryMb: number, network = true): HostProcess {
    this.#network = network;
    const ready = this.#spare;
    this.#spare = undefined;
    const fits = ready?.alive && ready.heapMb >= memoryMb && this.suits(ready, network);
    const host = ready && fits ? ready : this.#start(memoryMb);
    if (ready !== host) void ready?.close();
    this.#numbers.set(host, ++this.#taken);
    this.#cancel();
    this.#cancel = this.#clock.after(replenishMs, () => this.#replenish());
    return host;
  }

  /** Whether a process is cut off from the network as much as this work requires. */
  suits(host: HostProcess, network: boolean): boolean {
    return host.network === network || !this.#sandbox;
  }

  /**
   * Whether a process may load the stage. Node never forgets a module, so a process that loaded something before this version
   * was made would run code that has been edited since.
   */
  isNewEnough(host: HostProcess, stage: StageVersion): boolean {
    return (this.#numbers.get(host) ?? 0) > (this.#known.get(stage.name)?.taken ?? 0);
  }

  /** Ends the spare process; processes already taken belong to their takers. */
  async close(): Promise<void> {
    this.#keeps = false;
    this.#cancel();
    const spare = this.#spare;
    this.#spare = undefined;
    await spare?.close();
  }

  #replenish(): void {
    if (!this.#keeps || this.#spare?.alive) return;
    try {
      this.#spare = this.#start(0);
      this.#spare.warm();
    } catch {
      // No directories can be made: the next request says so.
    }
  }

  #start(memoryMb: number): HostProcess {
    const heapMb = Math.max(this.#heapMb, memoryMb);
    // Without a sandbox, the network can't be cut off.
    const network = this.#network || !this.#sandbox;
    const [clock, sandbox, inputs] = [this.#clock, this.#sandbox, this.#inputs];
    return new HostProcess({ clock, heapMb, network, sandbox, inputs });
  }
}
