import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { PismakError } from '../../engine/ground/errors.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { endsWithin, withDeadline } from '../../engine/time/deadline.ts';

interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** Larger pictures come out empty, so longer pages are scaled down. */
const longestSide = 16_000;
const answerMs = 60_000;
/** How long to wait for images on slow servers. */
const loadMs = 15_000;

/** A headless Chromium that takes pictures of pages, driven over a pipe (CDP). */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, PromiseWithResolvers<Message>>();
  readonly #ended: Promise<void>;
  #loaded = Promise.withResolvers<void>();
  #count = 0;
  #problem: PismakError | undefined;

  private constructor(child: ChildProcess, profile: string, clock: Clock) {
    this.#child = child;
    this.#profile = profile;
    this.#clock = clock;
    this.#ended = new Promise((resolve) => {
      child.once('error', () => {
        this.#fail('pictures need Chromium: apt install chromium');
        resolve();
      });
      child.once('exit', (code, signal) => {
        this.#fail(`chromium ended with ${code ?? signal}`);
        resolve();
      });
    });
    child.stdio[3]?.on('error', () => {});
    let rest = '';
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#hear(JSON.parse(message));
    });
  }

  static async open(clock: Clock = systemClock): Promise<Chromium> {
    const profile = await mkdtemp(join(tmpdir(), 'pismak-chromium-'));
    const parameters = [
      '--headless',
      '--disable-gpu',
      '--hide-scrollbars',
      '--no-first-run',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      '--remote-debugging-pipe',
      // Chromium's sandbox refuses to run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--user-data-dir=${profile}`,
      'about:blank',
    ];
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
    return new Chromium(spawn('chromium', parameters, { stdio: [...stdio] }), profile, clock);
  }

  /** A picture of the whole page, without scripts, which mail programs do not run either. */
  async photograph(file: string, width: number): Promise<Buffer> {
    const { targetId } = await this.#ask('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.#ask('Target.attachToTarget', { targetId, flatten: true });
    const ask = (method: string, parameters: object) => this.#ask(method, parameters, sessionId as string);
    await ask('Page.enable', {});
    await ask('Emulation.setScriptExecutionDisabled', { value: true });
    const resize = (height: number) =>
      ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await resize(1);
    this.#loaded = Promise.withResolvers<void>();
    await ask('Page.navigate', { url: pathToFileURL(file).href });
    await endsWithin(this.#clock, loadMs, this.#loaded.promise);
    const { cssContentSize } = await ask('Page.getLayoutMetrics', {});
    const { height } = cssContentSize as { height: number };
    const scale = Math.min(1, longestSide / height);
    await resize(Math.min(Math.ceil(height), longestSide));
    const { data } = await ask('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, width, height, scale },
    });
    await this.#ask('Target.closeTarget', { targetId });
    return Buffer.from(data as string, 'base64');
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    // Its helper processes end a moment later, and write until then.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #ask(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
    if (this.#problem) throw this.#problem;
    const id = ++this.#count;
    const answer = Promise.withResolvers<Message>();
    this.#waiting.set(id, answer);
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await withDeadline(this.#clock, answerMs, answer.promise, () => {
      throw new PismakError('unavailable', `chromium did not answer ${method} within a minute`);
    });
    if (error) throw new PismakError('unavailable', `chromium refused ${method}: ${error.message}`);
    return result ?? {};
  }

  #hear(message: Message): void {
    if (message.method === 'Page.loadEventFired') this.#loaded.resolve();
    if (message.id === undefined) return;
    this.#waiting.get(message.id)?.resolve(message);
    this.#waiting.delete(message.id);
  }

  #fail(why: string): void {
    this.#problem ??= new PismakError('unavailable', why);
    for (const { reject } of this.#waiting.values()) reject(this.#problem);
    this.#waiting.clear();
  }
}
