import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';

const take: Statement = {
  name: 'take-lease',
  text: 'INSERT INTO process (lease_until) VALUES (now_ms() + $1) RETURNING number',
};
const renew: Statement = {
  name: 'renew-lease',
  text: 'UPDATE process SET lease_until = now_ms() + $2 WHERE number = $1 RETURNING number',
};
const end: Statement = { name: 'end-lease', text: 'DELETE FROM process WHERE number = $1' };

/**
 * Shows, on the server's clock, that this process is alive. All claims are made under its number. A lease is
 *
 * - *held* while it is renewed in time, or the delay is not noticed yet;
 * - *lost* when another process has deleted its row (`upkeep.ts`): the next renewal or round finds none, and `replace` inserts a new
 *   row, with a new number. What was claimed under the old number belongs to others;
 * - *ended* by `end`, in good order, or by running out.
 */
export class Lease {
  readonly #connection: LastingConnection;
  readonly #leaseMs: number;
  #number: number;
  #replacing: Promise<void> | undefined;
  /** Called when another lease has begun, after the first was lost. */
  onReplaced = () => {};

  private constructor(connection: LastingConnection, leaseMs: number, number: number) {
    this.#connection = connection;
    this.#leaseMs = leaseMs;
    this.#number = number;
  }

  static async take(connection: LastingConnection, leaseMs: number): Promise<Lease> {
    return new Lease(connection, leaseMs, await insert(connection, leaseMs));
  }

  get number(): number {
    return this.#number;
  }

  async renew(): Promise<void> {
    const { number } = this;
    const rows = await this.#connection.query(renew, [number, this.#leaseMs]);
    if (rows.length === 0 && number === this.#number) await this.replace();
  }

  /** We were declared dead: others have our claims now, and we start again under a new number. */
  replace(): Promise<void> {
    this.#replacing ??= insert(this.#connection, this.#leaseMs)
      .then((number) => {
        this.#number = number;
        this.onReplaced();
      })
      .finally(() => {
        this.#replacing = undefined;
      });
    return this.#replacing;
  }

  async end(): Promise<void> {
    await this.#connection.query(end, [this.#number]);
  }
}

async function insert(connection: LastingConnection, leaseMs: number): Promise<number> {
  const [row] = await connection.query<[number]>(take, [leaseMs]);
  return row?.[0] ?? -1;
}
