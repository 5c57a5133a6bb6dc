import { call, type Input } from '../../api/call.ts';
import type { CallError } from '../../api/call-error.ts';
import { asCallError } from '../../api/resource.svelte.ts';
import { keep, kept } from '../../text/preferences.svelte.ts';
import { type LeftOver, readLeftOvers, writeLeftOvers } from './left-over.ts';
import { sendFile } from './send-file.ts';
import { type Chosen, keyOf, sourceNames } from './sort-out.ts';

const stored = () => readLeftOvers(kept('uploads'), Date.now());
const remember = (one: LeftOver) => keep('uploads', writeLeftOvers(stored(), one));
const forget = (document: string) => remember({ document, name: '', at: 0, files: {} });

const lanes = 3;
/** Reading begins while other files are still on their way. */
const lot = 50;

export class UploadFile {
  readonly chosen: Chosen;
  readonly name: string;
  readonly size: number;
  state = $state<'waiting' | 'sending' | 'sent' | 'failed'>('waiting');
  sent = $state(0);
  error = $state.raw<CallError>();
  upload: string | undefined;

  constructor(chosen: Chosen, name: string, upload?: string) {
    this.chosen = chosen;
    this.name = name;
    this.size = chosen.file.size;
    this.upload = upload;
  }
}

/** Files on their way into one document. It lives as long as the tab, whatever page is open. */
export class Batch {
  readonly key = Symbol('batch');
  readonly name: string;
  readonly files: readonly UploadFile[];
  document = $state<string>();
  state = $state<'sending' | 'done' | 'failed' | 'stopped'>('sending');
  /** Why nothing goes on. */
  error = $state.raw<CallError>();
  startedAt = Date.now();
  readonly bytes: number;
  readonly sentBytes = $derived.by(() => this.files.reduce((sum, { sent }) => sum + sent, 0));
  readonly sentFiles = $derived.by(() => this.files.filter(({ state }) => state === 'sent').length);
  readonly failedFiles = $derived.by(() => this.files.filter(({ state }) => state === 'failed').length);
  readonly #create: Input<'document.create'> | undefined;
  #controller = new AbortController();
  #unsubmitted = 0;
  #submitting: Promise<unknown> = Promise.resolve();
  /** Files arrive in any order; they are added in the order of their names, which is that of the pages. */
  #added: Promise<unknown> = Promise.resolve();

  constructor(parts: {
    name: string;
    files: UploadFile[];
    create?: Input<'document.create'>;
    document?: string;
  }) {
    this.name = parts.name;
    this.files = parts.files;
    this.bytes = parts.files.reduce((sum, { size }) => sum + size, 0);
    this.document = parts.document;
    this.#create = parts.create;
  }

  async run(): Promise<void> {
    this.state = 'sending';
    this.error = undefined;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    try {
      if (this.document === undefined && this.#create)
        this.document = (await call('document.create', this.#create, { signal })).id;
      this.#remember();
      this.#added = Promise.resolve();
      const queue = this.files.filter(({ state }) => state !== 'sent');
      for (const file of queue) {
        file.state = 'waiting';
        file.error = undefined;
      }
      await Promise.all(Array.from({ length: lanes }, () => this.#lane(queue, signal)));
      await this.#submit(1);
      this.state = this.failedFiles > 0 ? 'failed' : 'done';
    } catch (error) {
      if (!this.#controller.signal.aborted) {
        this.state = 'failed';
        this.error = asCallError(error);
      }
      this.#controller.abort();
    }
    this.#remember();
    await this.#dropEmpty();
  }

  /** What has arrived is read; the rest is left out. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.#controller.abort(new DOMException('stopped', 'AbortError'));
    await this.#submit(1).catch(() => undefined);
    if (this.document !== undefined) forget(this.document);
  }

  async #lane(queue: UploadFile[], signal: AbortSignal): Promise<void> {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const before = this.#added;
      const sending = this.#send(file, before, signal);
      this.#added = sending.catch(() => undefined);
      try {
        await sending;
      } catch (error) {
        if (signal.aborted) {
          file.state = 'waiting';
          throw error;
        }
        file.state = 'failed';
        file.error = asCallError(error);
        // A limit, a full disk: the others would fail in the same way.
        if (hopeless.has(file.error.code)) throw error;
      }
    }
  }

  async #send(file: UploadFile, before: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const document = this.document ?? '';
    file.state = 'sending';
    const hash = await sendFile(file.chosen.file, {
      signal,
      upload: file.upload,
      onprogress: (bytes) => {
        file.sent = Math.min(bytes, file.size);
      },
      onupload: (upload) => {
        file.upload = upload;
        this.#remember();
      },
    });
    await before;
    await call('document.add', { document, name: file.name, hash }, { signal });
    file.sent = file.size;
    file.state = 'sent';
    this.#unsubmitted++;
    this.#remember();
    await this.#submit(lot);
  }

  /** One after the other: the files of a lot are submitted once. */
  #submit(least: number): Promise<unknown> {
    const before = this.#submitting.catch(() => undefined);
    this.#submitting = before.then(async () => {
      const count = this.#unsubmitted;
      if (count < least || this.document === undefined) return;
      await call('document.submit', { document: this.document });
      this.#unsubmitted -= count;
    });
    return this.#submitting;
  }

  #remember(): void {
    if (this.document === undefined || this.state === 'stopped') return;
    const missing = this.files.filter(({ state }) => state !== 'sent');
    const files = Object.fromEntries(missing.map((file) => [keyOf(file.chosen), file.upload ?? null]));
    remember({ document: this.document, name: this.name, at: this.startedAt, files });
  }

  /** A document of ours that nothing reached would stay open, and empty. */
  async #dropEmpty(): Promise<void> {
    if (!this.#create || this.document === undefined || this.sentFiles > 0 || this.state === 'sending')
      return;
    const { document } = this;
    this.document = undefined;
    forget(document);
    await call('document.delete', { document }).catch(() => undefined);
  }
}

const hopeless = new Set(['quota-exceeded', 'disk-full', 'not-found', 'forbidden', 'unreachable']);

class Uploads {
  batches = $state.raw<readonly Batch[]>([]);
  #leftOvers = $state.raw<readonly LeftOver[]>(stored());

  /** What an earlier visit left, unless it is on its way now. */
  get leftOvers(): readonly LeftOver[] {
    const now = new Set(this.batches.map(({ document }) => document));
    return this.#leftOvers.filter(({ document }) => !now.has(document));
  }

  get isSending(): boolean {
    return this.batches.some(({ state }) => state === 'sending');
  }

  start(create: Input<'document.create'>, taken: readonly Chosen[]): Batch {
    return this.#begin(new Batch({ name: create.name, create, files: filesOf(taken) }));
  }

  /** Adds files to a document, or goes on with one. */
  addTo(document: { id: string; name: string }, taken: readonly Chosen[], left?: LeftOver): Batch {
    return this.#begin(
      new Batch({ name: document.name, document: document.id, files: filesOf(taken, left) }),
    );
  }

  dismiss(batch: Batch): void {
    this.batches = this.batches.filter((one) => one !== batch);
  }

  forget({ document }: LeftOver): void {
    forget(document);
    this.#leftOvers = stored();
  }

  #begin(batch: Batch): Batch {
    this.batches = [...this.batches, batch];
    void batch.run();
    return batch;
  }
}

function filesOf(taken: readonly Chosen[], left?: LeftOver): UploadFile[] {
  // Names of all, so that a file has the same one as in the first visit.
  const names = sourceNames(taken);
  return taken.flatMap((chosen, index) => {
    const key = keyOf(chosen);
    if (left && !Object.hasOwn(left.files, key)) return [];
    return new UploadFile(chosen, names[index] ?? chosen.path, left?.files[key] ?? undefined);
  });
}

export const uploads = new Uploads();

// Files can't be read again after a reload: ask before it.
addEventListener('beforeunload', (event) => {
  if (uploads.isSending) event.preventDefault();
});
