import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRobots } from '../../src/robot/text/index.ts';

export interface RobotsFigure {
  cases: number;
  right: number;
  wrong: string[];
}

const field = /(robotstxt|testurl|useragent|expected_outcome):\s*((?:"(?:[^"\\]|\\.)*"\s*)+|[A-Z]+)/gs;

/** Cases in the form of Google's robotstxt-spec-test (`*.textproto`). */
export function measureRobots(directory: string): RobotsFigure {
  const figure: RobotsFigure = { cases: 0, right: 0, wrong: [] };
  for (const file of globSync('**/*.textproto', { cwd: directory })) {
    const text = readFileSync(join(directory, file), 'utf8').replaceAll(/^#.*$/gm, '');
    let rules = parseRobots(Buffer.alloc(0));
    let url = '';
    let agent = '';
    for (const [, name, value = ''] of text.matchAll(field)) {
      if (name === 'robotstxt') rules = parseRobots(literal(value));
      else if (name === 'testurl') url = literal(value).toString();
      else if (name === 'useragent') agent = literal(value).toString();
      else {
        figure.cases += 1;
        if (rules.isAllowed(agent, url) === (value.trim() === 'ALLOWED')) figure.right += 1;
        else figure.wrong.push(`${file}: ${agent} ${url} should be ${value.trim()}`);
      }
    }
  }
  return figure;
}

/** The bytes of one or more quoted strings with C escapes. */
function literal(source: string): Buffer {
  const parts: Buffer[] = [];
  for (const [, quoted = ''] of source.matchAll(/"((?:[^"\\]|\\.)*)"/gs)) {
    for (const [, hex, octal, other, plain = ''] of quoted.matchAll(
      /\\x([0-9a-f]{1,2})|\\([0-7]{1,3})|\\(.)|([^\\]+)/gis,
    )) {
      if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
      else if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]));
      else if (other !== undefined) parts.push(Buffer.from({ n: '\n', r: '\r', t: '\t' }[other] ?? other));
      else parts.push(Buffer.from(plain));
    }
  }
  return Buffer.concat(parts);
}
