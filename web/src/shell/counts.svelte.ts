import { onChange } from '../api/changes.svelte.ts';
import { entries } from './places.ts';

/** The numbers in the rail, by the path of the entry. Read again when something of the house changed, but not all the time. */
export class Counts {
  values = $state<Record<string, number | undefined>>({});

  /** Call inside an effect. */
  follow(): () => void {
    const ends = entries().flatMap(({ entry, house }) => {
      if (!entry.count) return [];
      let timer: ReturnType<typeof setTimeout> | undefined;
      const read = async () => {
        const value = await entry.count?.().catch(() => undefined);
        this.values[entry.path] = value;
      };
      void read();
      const end = onChange(house.changes, () => {
        timer ??= setTimeout(
          () => {
            timer = undefined;
            void read();
          },
          house.changes.includes('*') ? 3000 : 500,
        );
      });
      return [end, () => clearTimeout(timer)];
    });
    return () => {
      for (const end of ends) end();
    };
  }
}
