import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HostileWebFigures } from './hostile-web.ts';
import type { Visitor } from './target.ts';

/** What the program of the neighbours is asked. */
export type ToNeighbours = { crawl: { url: string; visitor: Visitor } };
export type FromNeighbours =
  | { relayPort: number }
  | { relayConnections: number }
  | { line: string }
  | { web: HostileWebFigures }
  | { failed: string };

/**
 * A hostile mail server and a hostile web, in a program of their own: what they compress and pour out would delay whoever measures in the
 * same process.
 */
export class Neighbours {
  readonly #child = fork(join(import.meta.dirname, 'neighbours-program.ts'), [], {
    serialization: 'advanced',
    // A session of its own, whose priority it lowers: they come from other machines.
    detached: true,
  });
  relayConnections = 0;

  /** Resolves with the port of the mail server. */
  async open(): Promise<number> {
    this.#child.on('message', (message: FromNeighbours) => {
      if ('relayConnections' in message) this.relayConnections = message.relayConnections;
    });
    const [message] = (await once(this.#child, 'message')) as [FromNeighbours];
    if (!('relayPort' in message)) throw new Error('the neighbours did not open their mail server');
    return message.relayPort;
  }

  /** Lets Pismak crawl the hostile web; `visitor` is an administrator, whose crawls may reach this machine. */
  crawl(
    url: string,
    visitor: Visitor,
    onProgress: ((line: string) => void) | undefined,
  ): Promise<HostileWebFigures> {
    const { promise, resolve, reject } = Promise.withResolvers<HostileWebFigures>();
    this.#child.on('message', (message: FromNeighbours) => {
      if ('line' in message) onProgress?.(message.line);
      else if ('web' in message) resolve(message.web);
      else if ('failed' in message) reject(new Error(message.failed));
    });
    this.#child.once('exit', (code) => reject(new Error(`the neighbours ended with ${code}`)));
    this.#child.send({ crawl: { url, visitor } } satisfies ToNeighbours);
    return promise;
  }

  close(): void {
    this.#child.removeAllListeners('exit').kill('SIGKILL');
  }
}
