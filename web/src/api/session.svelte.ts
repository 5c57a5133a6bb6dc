import { type CallName, call, type Output } from './call.ts';
import { CallError } from './call-error.ts';

export type Who = Output<'session.show'>;

/** Who is signed in here, and what that person may do. */
class Session {
  /** Undefined: nobody. */
  who = $state.raw<Who>();
  /** The session has ended under an open page, which asks for the password in place. */
  ended = $state(false);
  #operations = $derived(new Set<string>(this.who?.operations));
  #waiting: (() => void)[] = [];

  /** Whether a page should offer this. The server decides. */
  may(name: CallName): boolean {
    return this.#operations.has(name);
  }

  hasHouse(name: string): boolean {
    return this.who?.houses.includes(name) ?? false;
  }

  /** Reads who is signed in; false if nobody is. */
  async read(): Promise<boolean> {
    try {
      this.who = await call('session.show', {});
      return true;
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'not-signed-in') throw error;
      this.who = undefined;
      return false;
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    await call('session.login', { name, password });
    const before = this.who?.name;
    // Another person must not see what the last one had open.
    if (before !== undefined && before !== name) return location.reload();
    this.who = await call('session.show', {});
    this.ended = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  async signOut(): Promise<void> {
    await call('session.logout', {});
    this.who = undefined;
  }

  /** Resolves when the person has given the password again. */
  askAgain(): Promise<void> {
    this.ended = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export const session = new Session();
