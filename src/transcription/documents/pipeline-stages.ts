import { PismakError } from '../../engine/ground/errors.ts';
import { unknownStage } from '../../engine/stage/stages.ts';
import type { DocumentParts } from './document.ts';
import type { StageVersion } from './reuse.ts';

/** The stages that a page goes through, with their current versions. */
export async function pipelineStages(
  { pipelines, stages }: Pick<DocumentParts, 'pipelines' | 'stages'>,
  name: string,
): Promise<StageVersion[]> {
  const pipeline = await pipelines.find(name);
  if (!pipeline) {
    const known = (await pipelines.list()).slice(0, 100).map((one) => one.name);
    throw new PismakError(
      'not-found',
      `there is no pipeline ${name}; there are: ${known.join(', ') || 'none'}`,
    );
  }
  const versions = new Map((await stages.list()).map((stage) => [stage.name, stage.version]));
  // The last name is the pipeline's output queue; pages of documents return to `collectQueue` instead.
  return pipeline.stages.slice(0, -1).map((stage) => {
    const version = versions.get(stage);
    if (version === undefined) throw unknownStage(stage, [...versions.keys()]);
    return { stage, version };
  });
}
