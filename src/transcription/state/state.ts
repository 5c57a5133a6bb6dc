import type { Engine } from '../../engine/composition/engine.ts';
import type { Progress } from '../../engine/sample/sample.ts';
import { OnDemand } from '../../engine/time/on-demand.ts';
import { Seldom } from '../../engine/time/seldom.ts';
import { documentsProgress } from '../documents/documents-progress.ts';
import type { ImageCutters } from '../iiif/cut-image.ts';

/** What this house keeps while an engine is open. */
export class TranscriptionState {
  /** Started when somebody first looks at an image. */
  readonly imageCutters: OnDemand<ImageCutters>;

  /** How far documents have come. */
  readonly progress: Seldom<Progress[]>;

  constructor(engine: Pick<Engine, 'clock' | 'database'>) {
    const { clock } = engine;
    this.progress = new Seldom(clock, () => documentsProgress(engine));
    this.imageCutters = new OnDemand(
      async () => new (await import('../iiif/cut-image.ts')).ImageCutters(clock),
      (cutters) => cutters.close(),
    );
  }

  close(): Promise<void> {
    return this.imageCutters.close();
  }
}
