import { Worker } from 'node:worker_threads';
import { type ErrorCode, messageOf, PismakError } from '../../engine/ground/errors.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import type { EncodedContent } from '../mime/build-message.ts';
import type { Rendered, TemplateData, TemplateOf } from './compile.ts';

export interface RenderJob {
  /** The type, with its layout. */
  type: TemplateOf;
  /** Different for each version. */
  version: string | number;
  language: string;
  data: TemplateData;
  subject?: string | undefined;
}

/** What a thread is asked. `isFirst`: it forgets all templates before. */
export type RenderQuestion = Pick<RenderJob, 'data' | 'language' | 'subject'> & {
  key: string;
  source?: TemplateOf | undefined;
  as: 'rendered' | 'encoded' | 'nothing';
  isFirst: boolean;
};

export type RenderAnswer =
  | { rendered: Rendered; missing: string[] }
  | { encoded: Omit<EncodedContent, 'html' | 'text'> & { html: Uint8Array; text: Uint8Array } }
  | { done: true }
  | { problem: string; code: ErrorCode };

/** A user has one thread, so that two users can't be held up by one. */
const slots = { inAll: 3, perOwner: 1, waitingPerOwner: 1000, what: 'mails to render' };
/** Processor time for one mail, and the time that it may take on a busy machine. */
const limits = { cpuMs: 2000, wallMs: 20_000 };
const mostTemplates = 50;
const idleMs = 30_000;
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Renders templates beside the main thread: those that may take long because a user wrote them or the data for their loops. A
 * rendering that exceeds its limits ends with its thread; the next one gets a new thread.
 */
export class RenderThreads {
  readonly #clock: Clock;
  readonly #slots = new OwnerSlots(slots);
  #idle: RenderThread[] = [];
  readonly #all = new Set<RenderThread>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async render(owner: string, job: RenderJob): Promise<Rendered & { missing: string[] }> {
    const answer = await this.#ask(owner, job, 'rendered');
    if ('rendered' in answer) return { ...answer.rendered, missing: answer.missing };
    throw undeclared();
  }

  async encode(owner: string, job: RenderJob): Promise<EncodedContent> {
    const answer = await this.#ask(owner, job, 'encoded');
    if (!('encoded' in answer)) throw undeclared();
    const { html, text, ...encoded } = answer.encoded;
    return { ...encoded, html: asBuffer(html), text: asBuffer(text) };
  }

  /** Compiles the template only. Throws `invalid-input` with the line that is wrong. */
  async check(owner: string, job: Omit<RenderJob, 'data'>): Promise<void> {
    await this.#ask(owner, { ...job, data: {} }, 'nothing');
  }

  close(): void {
    this.#isClosed = true;
    this.#idle = [];
    for (const thread of this.#all) thread.close();
  }

  async #ask(owner: string, job: RenderJob, as: RenderQuestion['as']): Promise<RenderAnswer> {
    const answer = await this.#slots.run(owner, async () => {
      if (this.#isClosed) throw new PismakError('unavailable', 'mails are no longer rendered: Pismak stops');
      const thread = this.#idle.pop() ?? this.#start();
      try {
        return await thread.ask(job, as);
      } finally {
        if (thread.isAlive && !this.#isClosed) this.#keep(thread);
        else this.#drop(thread);
      }
    });
    if ('problem' in answer) throw new PismakError(answer.code, answer.problem);
    return answer;
  }

  #start(): RenderThread {
    const thread = new RenderThread(this.#clock);
    this.#all.add(thread);
    return thread;
  }

  #keep(thread: RenderThread): void {
    this.#idle.push(thread);
    thread.endWhenIdle(() => {
      this.#idle = this.#idle.filter((one) => one !== thread);
      this.#drop(thread);
    });
  }

  #drop(thread: RenderThread): void {
    this.#all.delete(thread);
    thread.close();
  }
}

class RenderThread {
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #isReady = Promise.withResolvers<void>();
  /** The templates that the thread has. */
  readonly #known = new Set<string>();
  #answer = Promise.withResolvers<RenderAnswer>();
  #cancelIdle = () => {};
  isAlive = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#worker = new Worker(new URL('./render-thread.ts', import.meta.url), {
      resourceLimits: memory,
      env: {},
    });
    this.#worker.on('message', (message: RenderAnswer | 'ready') => {
      if (message === 'ready') this.#isReady.resolve();
      else this.#answer.resolve(message);
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the thread ended')));
    this.#isReady.promise.catch(() => {});
    this.#answer.promise.catch(() => {});
  }

  /** Rejects with `invalid-input` if the rendering takes too long, or too much memory. */
  async ask({ type, version, ...job }: RenderJob, as: RenderQuestion['as']): Promise<RenderAnswer> {
    this.#cancelIdle();
    this.#worker.ref();
    let cancel = () => {};
    try {
      await this.#isReady.promise;
      this.#answer = Promise.withResolvers();
      this.#answer.promise.catch(() => {});
      const isFirst = this.#known.size === 0 || this.#known.size >= mostTemplates;
      if (isFirst) this.#known.clear();
      const key = `${type.code}/${version}/${job.language}`;
      const source = this.#known.has(key) ? undefined : sourceOf(type);
      this.#known.add(key);
      const question: RenderQuestion = { ...job, key, source, as, isFirst };
      this.#worker.postMessage(question);
      cancel = this.#watch();
      return await this.#answer.promise;
    } catch (error) {
      const why = error instanceof OverTime ? error.message : `it could not be rendered: ${messageOf(error)}`;
      throw new PismakError('invalid-input', `template ${type.code}: ${why}`, { cause: error });
    } finally {
      cancel();
      this.#worker.unref();
    }
  }

  endWhenIdle(end: () => void): void {
    this.#cancelIdle = this.#clock.after(idleMs, end);
  }

  close(): void {
    this.#cancelIdle();
    this.#end(new Error('the thread was stopped'));
  }

  /** Ends the thread when it has used up its processor time. */
  #watch(): () => void {
    const before = this.#worker.cpuUsage();
    const startedAt = performance.now();
    const look = async () => {
      const spent = performance.now() - startedAt;
      if (spent < limits.cpuMs) return;
      const tooLong = () =>
        this.#end(new OverTime(`it takes longer than ${limits.cpuMs / 1000} s to render`));
      if (spent >= limits.wallMs) return tooLong();
      const { user, system } = await this.#worker.cpuUsage(await before);
      if ((user + system) / 1000 >= limits.cpuMs) tooLong();
    };
    // A thread that ended meanwhile has no use.
    const timer = setInterval(() => void look().catch(() => {}), 250);
    before.catch(() => {});
    return () => clearInterval(timer);
  }

  #end(error: Error): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#isReady.reject(error);
    this.#answer.reject(error);
    void this.#worker.terminate();
  }
}

function sourceOf({
  code,
  template,
  text,
  subject,
  translations,
  language,
  laidOut,
}: TemplateOf): TemplateOf {
  return { code, template, text, subject, translations, language, laidOut };
}

class OverTime extends Error {}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function undeclared(): Error {
  return new Error('a thread answered something else');
}
