import { messageOf, PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { ProcessorRegistration } from './processor.ts';

/** The processors that stages may use. Houses add theirs when they are opened. */
export interface Processors {
  register(registration: ProcessorRegistration): void;
  list(): ProcessorRegistration[];
  /** Throws `processor-unknown` with a list of the known ones. */
  get(name: string): ProcessorRegistration;
  /** Refuses a configuration with which the processor could not be loaded, as far as it can tell. */
  check(name: string, config: string): void;
}

export function createProcessors(machine: { commands: readonly string[] } = { commands: [] }): Processors {
  const byName = new Map<string, ProcessorRegistration>();
  const processors: Processors = {
    register(registration) {
      byName.set(registration.name, registration);
    },
    list: () => [...byName.values()].sort((a, b) => a.name.localeCompare(b.name)),
    get(name) {
      const found = byName.get(name);
      if (found) return found;
      const known = processors.list().map((registration) => registration.name);
      throw new PismakError('processor-unknown', sayRefusal('unknown.processor', { processor: name, known }));
    },
    check(name, config) {
      const registration = processors.get(name);
      try {
        registration.check?.(config, machine);
      } catch (error) {
        const why = messageOf(error);
        const sentence = sayRefusal('conflict.configuration', { processor: name, why });
        throw new PismakError('invalid-input', sentence, { cause: error });
      }
    },
  };
  return processors;
}
