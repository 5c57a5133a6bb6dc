import type { Processors } from '../processor/processors.ts';
import type { Stage } from '../stage/stage.ts';
import { mostOffers, mostTools, type WorkerPresence } from './worker-record.ts';

interface Hooks {
  onChange(): void;
  onError(error: unknown): void;
}

interface Asked {
  version: number;
  names?: string[] | undefined;
  tools?: string[];
}

const longestTool = 2_000;

/** What a worker can do in the stages that it may serve, and by what, as reported by their processors. Asked once per version of a stage. */
export class Offers {
  readonly #processors: Processors;
  readonly #hooks: Hooks;
  readonly #known = new Map<string, Asked>();

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

  now(): Required<Pick<WorkerPresence, 'offers' | 'tools'>> {
    const known = [...this.#known];
    const offers = known.flatMap(([stage, { names }]) => (names === undefined ? [] : [[stage, names]]));
    const tools = known.flatMap(([stage, { tools }]) => (tools === undefined ? [] : [[stage, tools]]));
    return { offers: Object.fromEntries(offers), tools: Object.fromEntries(tools) };
  }

  #ask({ name, version, processor, config, files }: Stage): void {
    const registration = this.#processors.list().find((one) => one.name === processor);
    if (!registration?.offers && !registration?.tools) return;
    const asked: Asked = { version };
    this.#known.set(name, asked);
    const fileNames = files.map((file) => file.name);
    const note = async () => {
      // First: it says why the stage can do nothing here.
      const tools = await registration.tools?.(config, fileNames);
      if (tools) asked.tools = tools.slice(0, mostTools).map((tool) => tool.slice(0, longestTool));
      asked.names = (await registration.offers?.(config, fileNames))?.slice(0, mostOffers);
    };
    note().then(
      () => this.#hooks.onChange(),
      (error: unknown) => this.#hooks.onError(error),
    );
  }
}
