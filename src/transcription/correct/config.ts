import { number, parseStageConfig, words } from '../../engine/stage/stage-config.ts';
import { parseRule, type Rule } from './rules.ts';

export interface CorrectConfig {
  rules: Rule[];
  /** Names of stage files; empty for none. */
  rulesFile: string;
  dictionaryFile: string;
  /** The dictionary changes only words below this confidence. */
  certain: number;
  /** Per rule and page. */
  timeLimitMs: number;
}

export const correctSettings = {
  RULES: words('', 'stage file with more rules'),
  DICTIONARY: words('', 'stage file with words'),
  CERTAIN: number(0.9, 'the dictionary changes only words below this confidence', { min: 0, max: 1 }),
  TIME_LIMIT: number(5, 'limit for each rule and page, in seconds', { min: 0.01, max: 60 }),
};

/**
 * Configuration of the stage `correct`: rules (`teh => the`, `/rn\b/ => m`) between lines `KEY = value`. Throws errors meant
 * for the administrator.
 */
export function parseCorrectConfig(text: string): CorrectConfig {
  const rules: Rule[] = [];
  // Replace each rule with an empty line, so errors in other lines have the right numbers.
  const rest = text.split('\n').map((raw, index) => {
    const line = raw.trim();
    const rule = /^[#;]/.test(line) ? undefined : parseRule(line, index + 1);
    if (rule !== undefined) rules.push(rule);
    return rule === undefined ? raw : '';
  });
  const { RULES, DICTIONARY, CERTAIN, TIME_LIMIT } = parseStageConfig(rest.join('\n'), correctSettings);
  return {
    rules,
    rulesFile: RULES,
    dictionaryFile: DICTIONARY,
    certain: CERTAIN,
    timeLimitMs: TIME_LIMIT * 1000,
  };
}
