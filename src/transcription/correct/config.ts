import { number, parseStageConfig, words } from '../../engine/stage/stage-config.ts';
import { parseRule, type Rule } from './rules.ts';

export interface CorrectConfig {
  rules: Rule[];
  /** Names of files of the stage; empty: none. */
  rulesFile: string;
  dictionaryFile: string;
  /** Words that the recogniser is at least so sure of are left alone by the dictionary. */
  certain: number;
  /** Per rule and page. */
  timeLimitMs: number;
}

const settings = {
  RULES: words('', 'file of the stage with more rules'),
  DICTIONARY: words('', 'file of the stage with words'),
  CERTAIN: number(0.9, 'confidence from which the dictionary leaves a word alone', { min: 0, max: 1 }),
  TIME_LIMIT: number(5, 'seconds for each rule and page', { min: 0.01, max: 60 }),
};

/**
 * Configuration of the stage `correct`: rules (`teh => the`, `/rn\b/ => m`) between lines `KEY = value`. Throws what the
 * administrator should read.
 */
export function parseCorrectConfig(text: string): CorrectConfig {
  const rules: Rule[] = [];
  // A rule leaves an empty line behind, so that errors in other lines have the right numbers.
  const rest = text.split('\n').map((raw, index) => {
    const line = raw.trim();
    const rule = /^[#;]/.test(line) ? undefined : parseRule(line, index + 1);
    if (rule !== undefined) rules.push(rule);
    return rule === undefined ? raw : '';
  });
  const { RULES, DICTIONARY, CERTAIN, TIME_LIMIT } = parseStageConfig(rest.join('\n'), settings);
  return {
    ...{ rules, rulesFile: RULES, dictionaryFile: DICTIONARY },
    ...{ certain: CERTAIN, timeLimitMs: TIME_LIMIT * 1000 },
  };
}
