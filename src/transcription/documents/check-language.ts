import { PismakError } from '../../engine/ground/errors.ts';
import { nearestName } from '../../engine/ground/nearest-name.ts';
import { listWorkers } from '../../engine/worker/worker-record.ts';
import { guessed, installedNames, unknownLanguages } from '../recognise/language.ts';
import type { DocumentParts } from './document.ts';
import { pipelineStages } from './pipeline-stages.ts';

/**
 * Returns the languages by the names of their installed models. Refuses missing models now, not after all pages have failed.
 */
export async function checkLanguages(
  parts: DocumentParts,
  pipeline: string,
  language: string,
): Promise<string> {
  if (language === guessed) return language;
  const names = new Set((await pipelineStages(parts, pipeline)).map(({ stage }) => stage));
  let result = language;
  for (const stage of await parts.stages.list()) {
    if (!names.has(stage.name) || stage.processor !== 'recognise') continue;
    const known = parts.settings.coordination.startsWith('embedded:')
      ? await installedHere(parts, stage)
      : await installedOnWorkers(parts, stage.name);
    result = installedNames(result, known);
    const [unknown] = unknownLanguages(result, known);
    if (unknown === undefined) continue;
    const nearest = nearestName(unknown, known ?? []);
    const advice = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
    throw new PismakError(
      'invalid-input',
      `there is no model for the language ${unknown}${advice} Installed: ${known?.join(', ') || 'none'}; or \`auto\``,
    );
  }
  return result;
}

type Stage = Awaited<ReturnType<DocumentParts['stages']['list']>>[number];

async function installedHere(
  { clock }: DocumentParts,
  { config, files }: Stage,
): Promise<string[] | undefined> {
  const { installedLanguages } = await import('../recognise/installed.ts');
  const stageFiles = files.map((file) => file.name);
  return installedLanguages(config, stageFiles, clock.now());
}

/**
 * Languages that at least one running worker reports; undefined if unknown. A page that reaches a worker without the model
 * fails there, with the reason.
 */
async function installedOnWorkers(
  { coordination }: DocumentParts,
  stage: string,
): Promise<string[] | undefined> {
  const running = (await listWorkers(coordination)).filter(
    ({ presence, record }) => presence && record.enabled,
  );
  // Workers of earlier versions report nothing.
  if (running.some(({ presence }) => !presence?.offers)) return undefined;
  const offers = running.flatMap(({ presence }) =>
    presence?.offers?.[stage] ? [presence.offers[stage]] : [],
  );
  return offers.length === 0 ? undefined : [...new Set(offers.flat())].sort();
}
