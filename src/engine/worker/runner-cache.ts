import type { Runner } from '../processor/runner.ts';
import type { Stage } from '../stage/stage.ts';

/**
 * Runners that stay loaded after their stage is no longer served, so that a switch back costs milliseconds. The least
 * recently used are dropped first; a runner in use is never dropped.
 */
export class RunnerCache {
  readonly #create: (stage: Stage) => Runner;
  readonly #keep: number;
  /** In order of use, the latest last. */
  readonly #entries: Entry[] = [];

  constructor(options: { keep: number; create: (stage: Stage) => Runner }) {
    this.#keep = options.keep;
    this.#create = options.create;
  }

  /**
   * A runner for this version of the stage that is loaded or can be; `release` it when the stage is no longer served. `from` is
   * what it took: the stage was loaded already, had to be loaded, or is not loaded yet because no message waits.
   */
  async acquire(stage: Stage): Promise<Acquired> {
    let entry = this.#entries.find(
      (candidate) => candidate.name === stage.name && candidate.version === stage.version,
    );
    const warm = entry?.runner.isLoaded() ?? false;
    if (entry) this.#entries.splice(this.#entries.indexOf(entry), 1);
    else
      entry = {
        name: stage.name,
        version: stage.version,
        runner: this.#create(stage),
        users: 0,
      };
    this.#entries.push(entry);
    const taken = entry;
    taken.users++;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      taken.users--;
      this.#evict(stage);
    };
    try {
      if (!warm) await taken.runner.load();
    } catch (error) {
      release();
      this.#drop(taken);
      throw error;
    }
    this.#evict(stage);
    const from = warm ? 'warm' : taken.runner.isLoaded() ? 'cold' : 'nothing';
    return { runner: taken.runner, from, release };
  }

  loaded(): string[] {
    return this.#entries.filter((entry) => entry.runner.isLoaded()).map((entry) => entry.name);
  }

  async close(): Promise<void> {
    await Promise.all(this.#entries.splice(0).map((entry) => entry.runner.close()));
  }

  #evict(current: Stage): void {
    // Nobody asks for an older version of a stage again.
    const outdated = this.#entries.filter(
      (entry) => entry.users === 0 && entry.name === current.name && entry.version < current.version,
    );
    for (const entry of outdated) this.#drop(entry);
    const unused = this.#entries.filter((entry) => entry.users === 0);
    for (const entry of unused.slice(0, Math.max(0, unused.length - this.#keep))) this.#drop(entry);
  }

  #drop(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
    void entry.runner.close();
  }
}

interface Entry {
  name: string;
  version: number;
  runner: Runner;
  users: number;
}

export interface Acquired {
  runner: Runner;
  from: 'warm' | 'cold' | 'nothing';
  release: () => void;
}
