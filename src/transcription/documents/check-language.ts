import { PismakError } from '../../engine/errors.ts';
import { nearestName } from '../../engine/nearest-name.ts';
import { guessed, installedNames, unknownLanguages } from '../recognise/language.ts';
import type { Parts } from './document.ts';
import { pipelineStages } from './pipeline-stages.ts';

/**
 * The languages under the names that the recogniser has for them. Refuses those without a model now, not when all pages have
 * failed. Only where workers run on this machine: others may have other models.
 */
export async function checkLanguages(parts: Parts, pipeline: string, language: string): Promise<string> {
  if (language === guessed || !parts.settings.coordination.startsWith('embedded:')) return language;
  const names = new Set((await pipelineStages(parts, pipeline)).map(({ stage }) => stage));
  let result = language;
  for (const { name, processor, config, files } of await parts.stages.list()) {
    if (!names.has(name) || processor !== 'recognise') continue;
    const { installedLanguages } = await import('../recognise/installed-languages.ts');
    const stageFiles = files.map((file) => file.name);
    const known = await installedLanguages(config, stageFiles, parts.clock.now());
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
