import { keep, kept } from '../text/preferences.svelte.ts';
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
    // Asked without a refusal: a first visit is no failure.
    if (kept('signed-in') === undefined && !(await isSignedIn())) return false;
    try {
      this.who = await call('session.show', {});
      keep('signed-in', 'yes');
      return true;
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'not-signed-in') throw error;
      this.who = undefined;
      keep('signed-in', undefined);
      return false;
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    await call('session.login', { name, password });
    const before = this.who?.name;
    // Another person must not see what the last one had open.
    if (before !== undefined && before !== name) return location.reload();
    await this.read();
    this.ended = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  async signOut(): Promise<void> {
    await call('session.logout', {});
    keep('signed-in', undefined);
    this.who = undefined;
  }

  /** This browser no longer expects to be signed in. */
  forget(): void {
    keep('signed-in', undefined);
  }

  /** Resolves when the person has given the password again. */
  askAgain(): Promise<void> {
    this.ended = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

async function isSignedIn(): Promise<boolean> {
  const response = await fetch('/console/build.json');
  const { signedIn } = (await response.json()) as { signedIn?: boolean };
  return signedIn === true;
}

export const session = new Session();
