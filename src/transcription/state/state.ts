import type { Engine } from '../../engine/composition/engine.ts';
import { OnDemand } from '../../engine/time/on-demand.ts';
import type { ImageCutters } from '../iiif/cut-image.ts';

/** What this house keeps while an engine is open. */
export class TranscriptionState {
  /** Started when somebody first looks at an image. */
  readonly imageCutters: OnDemand<ImageCutters>;

  constructor({ clock }: Pick<Engine, 'clock'>) {
    this.imageCutters = new OnDemand(
      async () => new (await import('../iiif/cut-image.ts')).ImageCutters(clock),
      (cutters) => cutters.close(),
    );
  }

  close(): Promise<void> {
    return this.imageCutters.close();
  }
}
