import type { Queries } from '../database/tables.ts';
import type { Robots } from '../text/robots-rules.ts';
import type { Domain } from './domains.ts';

/** What one site allows. */
interface Rules {
  robots: Robots | undefined;
  /** What tdmrep.json reserves; empty if nothing. */
  tdm: string;
}

const none: Rules = { robots: undefined, tdm: '' };
const mostRemembered = 5_000;
/** Rules take several times as much memory as their text. */
const mostCharacters = 8_000_000;

/** The rules of sites, read from the database and cached. */
export class SiteRules {
  readonly #parseRobots: (text: string) => Robots;
  readonly #known = new Map<number, Rules>();
  #characters = 0;

  constructor(parseRobots: (text: string) => Robots) {
    this.#parseRobots = parseRobots;
  }

  forget(domain: number): void {
    this.#known.delete(domain);
  }

  async of(transaction: Queries, { id, robotsAt }: Pick<Domain, 'id' | 'robotsAt'>): Promise<Rules> {
    if (robotsAt === 0) return none;
    const known = this.#known.get(id);
    if (known) return known;
    const row = await transaction
      .selectFrom('robot_domain')
      .select(['robots', 'tdm'])
      .where('id', '=', id)
      .executeTakeFirst();
    const rules: Rules = {
      robots: row?.robots ? this.#parseRobots(row.robots) : undefined,
      tdm: row?.tdm ?? '',
    };
    const { length } = `${row?.robots ?? ''}${rules.tdm}`;
    if (this.#known.size >= mostRemembered || this.#characters + length > mostCharacters) {
      this.#known.clear();
      this.#characters = 0;
    }
    this.#characters += length;
    this.#known.set(id, rules);
    return rules;
  }
}
