import type { Processors } from '../processor/processors.ts';
import type { Stage } from '../stage/stage.ts';
import { mostOffers } from './worker-record.ts';

interface Hooks {
  onChange(): void;
  onError(error: unknown): void;
}

/** What a worker can do in the stages that it may serve, as reported by their processors. Asked once per version of a stage. */
export class Offers {
  readonly #processors: Processors;
  readonly #hooks: Hooks;
  readonly #known = new Map<string, { version: number; names: string[] | undefined }>();

  constructor(processors: Processors, hooks: Hooks) {
    this.#processors = processors;
    this.#hooks = hooks;
  }

  /** Sets the stages that may be served now. */
  follow(stages: readonly Stage[]): void {
    for (const name of this.#known.keys())
      if (!stages.some((stage) => stage.name === name)) this.#known.delete(name);
    for (const stage of stages) if (this.#known.get(stage.name)?.version !== stage.version) this.#ask(stage);
  }

  now(): Record<string, string[]> {
    return Object.fromEntries(
      [...this.#known].flatMap(([stage, { names }]) => (names === undefined ? [] : [[stage, names]])),
    );
  }

  #ask({ name, version, processor, config, files }: Stage): void {
    const registration = this.#processors.list().find((one) => one.name === processor);
    if (!registration?.offers) return;
    const asked: { version: number; names: string[] | undefined } = { version, names: undefined };
    this.#known.set(name, asked);
    const fileNames = files.map((file) => file.name);
    registration.offers(config, fileNames).then(
      (names) => {
        asked.names = names?.slice(0, mostOffers);
        this.#hooks.onChange();
      },
      (error: unknown) => this.#hooks.onError(error),
    );
  }
}
