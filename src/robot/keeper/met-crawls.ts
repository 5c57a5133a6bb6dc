import { chunks } from '../../engine/ground/chunks.ts';
import { optionsOf } from '../crawl/known-options.ts';
import { rulesOf } from '../crawl/options.ts';
import type { Queries } from '../database/tables.ts';
import { type Rules, strictest } from '../politeness/rules.ts';

/** Other running crawls with domains on our addresses: there, all of them keep to the strictest of their rules. */
export class MetCrawls {
  readonly #own: Rules;
  /** The rules of each address where another crawl meets us. */
  readonly #met = new Map<string, Rules>();

  private constructor(own: Rules) {
    this.#own = own;
  }

  /** Looks for crawls that meet the crawl with this number and these rules on the addresses. */
  static async on(
    transaction: Queries,
    contacted: readonly string[],
    { crawl, rules }: { crawl: number; rules: Rules },
  ): Promise<MetCrawls> {
    const found = new MetCrawls(rules);
    const others = await transaction
      .selectFrom('robot_crawl')
      .select(['number', 'id'])
      .where('state', '=', 'running')
      .where('number', '<>', crawl)
      .execute();
    if (others.length === 0) return found;
    const rulesByCrawl = new Map<number, Rules>();
    for (const { number, id } of others) {
      const options = await optionsOf(transaction, id);
      if (options) rulesByCrawl.set(Number(number), rulesOf(options));
    }
    for (const addresses of chunks([...new Set(contacted)], 500)) {
      const rows = await transaction
        .selectFrom('robot_interest')
        .select(['address', 'crawl'])
        .where('address', 'in', addresses)
        .where('crawl', 'in', [...rulesByCrawl.keys()])
        .execute();
      for (const row of rows) {
        const theirs = rulesByCrawl.get(Number(row.crawl));
        if (theirs) found.#met.set(row.address, strictest([found.at(row.address), theirs]));
      }
    }
    return found;
  }

  meetsAt(address: string): boolean {
    return this.#met.has(address);
  }

  /** The rules that hold at an address. */
  at(address: string): Rules {
    return this.#met.get(address) ?? this.#own;
  }

  /** The rules that hold for a host with these addresses. */
  rulesFor(addresses: readonly string[]): Rules {
    return strictest([this.#own, ...addresses.flatMap((address) => this.#met.get(address) ?? [])]);
  }
}
