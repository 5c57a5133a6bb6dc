import type { Blobs } from '../../engine/blobs/blobs.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { isPermanent } from '../../engine/processor/processor.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import type { CutAnswer, CutQuestion } from './cutter-question.ts';
import type { Cut } from './image-request.ts';

/** A scan of 150 megapixels takes 5 s and 1 GB. */
const limits = { seconds: 20, memoryMb: 2048 };
/** Processes that decode images, one per user at a time. A viewer requests a screen full of tiles at once. */
const turns = { inAll: 2, perOwner: 1, waitingPerOwner: 100, what: 'images' };

interface Cutter {
  helper: HelperProcess<CutQuestion, CutAnswer>;
  isBusy: boolean;
  /** The user whose pages it keeps decoded. */
  owner: string | undefined;
}

/** Cuts parts out of images, as JPEG. Users take turns, and decoding runs in processes with limits, because images are untrusted. */
export class ImageCutters {
  readonly #slots = new OwnerSlots(turns);
  readonly #cutters: Cutter[];

  constructor(clock: Clock) {
    this.#cutters = Array.from({ length: turns.inAll }, () => ({
      helper: new HelperProcess<CutQuestion, CutAnswer>({
        module: new URL('./cutter.ts', import.meta.url),
        clock,
        decodes: true,
      }),
      isBusy: false,
      owner: undefined,
    }));
  }

  /** `signal` only ends waiting. Killing the process would lose the decoded page that the next tile needs. */
  cut(
    { blobs, owner, signal }: { blobs: Blobs; owner: string; signal: AbortSignal },
    image: { hash: string; name: string },
    cut: Cut,
  ): Promise<Uint8Array> {
    return this.#slots.run(
      owner,
      async () => {
        const cutter = this.#cutterFor(owner);
        cutter.isBusy = true;
        cutter.owner = owner;
        try {
          return await cutIn(cutter.helper, blobs, image.hash, cut);
        } catch (error) {
          if (!(error instanceof Error) || !isPermanent(error)) throw error;
          throw new PismakError('conflict', `${image.name} can't be shown: ${error.message}`, {
            cause: error,
          });
        } finally {
          cutter.isBusy = false;
        }
      },
      signal,
    );
  }

  close(): void {
    for (const { helper } of this.#cutters) helper.close();
  }

  #cutterFor(owner: string): Cutter {
    const free = this.#cutters.filter(({ isBusy }) => !isBusy);
    const cutter = free.find((one) => one.owner === owner) ?? free.find((one) => !one.owner) ?? free[0];
    if (!cutter) throw new Error('there are more turns than processes that cut images');
    return cutter;
  }
}

async function cutIn(helper: Cutter['helper'], blobs: Blobs, hash: string, cut: Cut): Promise<Uint8Array> {
  const known = await helper.ask({ hash, cut }, limits);
  if ('jpeg' in known) return known.jpeg;
  const image = { bytes: await blobs.size(hash), read: () => blobs.get(hash) };
  const made = await helper.ask({ hash, cut }, limits, undefined, image);
  if ('jpeg' in made) return made.jpeg;
  throw new Error('the process that cuts images gave a wrong answer');
}
