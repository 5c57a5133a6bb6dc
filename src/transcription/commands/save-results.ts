import { join } from 'node:path';
import type { z } from 'zod';
import { createDistinctNames } from '../../engine/files/safe-names.ts';
import type { Client } from '../../terminal/client/client.ts';
import { isSaved, saveFile } from '../../terminal/files/save-file.ts';
import { type Format, outputFormats } from '../formats/output-formats.ts';
import { documentResults } from '../operations/pages.ts';
import { documentFile } from '../operations/streams.ts';

export type ResultPage = z.output<typeof documentResults.output>['pages'][number];

const listed = 500;

/** Saves results as they come. Files already on disk are not fetched again. */
export class ResultSaver {
  readonly #client: Client;
  readonly #document: string;
  readonly #directory: string;
  readonly #formats: readonly Format[];
  readonly #saved = new Set<string>();
  /** `book-0012` may be page 12 of book.pdf, and a scan of that name beside it. */
  readonly #distinct = createDistinctNames();
  #since = 0;

  constructor(client: Client, options: { document: string; directory: string; formats: readonly Format[] }) {
    this.#client = client;
    this.#document = options.document;
    this.#directory = options.directory;
    this.#formats = options.formats;
  }

  get pages(): number {
    return this.#saved.size;
  }

  /** Saves the results since the last call; with `all`, checks everything once more. */
  async save(nameOf: (page: ResultPage) => string | undefined, all = false): Promise<void> {
    const since = all ? 0 : this.#since;
    for (let offset = 0; ; offset += listed) {
      const part = { document: this.#document, endedSince: since, offset, limit: listed };
      const { pages } = await this.#client.call(documentResults, part);
      for (const page of pages) {
        const name = nameOf(page);
        if (name !== undefined && !this.#saved.has(page.id)) {
          await this.#savePage(page, this.#distinct(name));
          this.#saved.add(page.id);
        }
        this.#since = Math.max(this.#since, page.endedAt ?? 0);
      }
      if (pages.length < listed) return;
    }
  }

  async #savePage(page: ResultPage, name: string): Promise<void> {
    for (const format of this.#formats) {
      const { file: fileName, ending } = outputFormats[format];
      const file = page.files.find((one) => one.name === fileName);
      if (!file) continue;
      const path = join(this.#directory, `${name}${ending}`);
      if (await isSaved(path, file.hash)) continue;
      const input = { document: this.#document, page: page.id, file: file.name };
      await saveFile(path, this.#client.stream(documentFile, input));
    }
  }
}
