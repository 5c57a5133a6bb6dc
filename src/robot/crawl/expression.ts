import { PismakError } from '../../engine/ground/errors.ts';
import type { CrawlDefinition } from './options.ts';

/** An expression of a crawl that is malformed or would take too long: the crawl can't run with it. */
export class UnusableExpression extends PismakError {
  constructor(message: string) {
    super('invalid-input', message);
  }
}

/**
 * Maximum number of steps that an expression compiles to. Time and memory for compiling grow with it, and so does the time for each character
 * of a host. Every expression without counted repetitions is below it.
 */
export const mostSteps = 10_000;

type Expressions = Pick<CrawlDefinition, 'include' | 'exclude'>;

/** Refuses expressions that are too large to be compiled. Takes microseconds, so every crawl is checked before it runs. */
export function checkExpressions(expressions: Expressions): void {
  for (const option of ['include', 'exclude'] as const) {
    const steps = stepsIn(expressions[option]);
    if (steps > mostSteps)
      throw new UnusableExpression(
        `${option} is too large: with its repetitions written out it has ${Math.min(steps, 1e12)} steps; the limit is ${mostSteps}. ` +
          'Use + or * instead of a high count such as {1000}.',
      );
  }
}

/** About how many steps an expression compiles to, at least as many as it has characters, classes and groups: `x{100}` counts a hundred times. */
export function stepsIn(expression: string): number {
  /** Of the groups around this place, the steps before it. */
  const outer: number[] = [];
  let before = 0;
  /** The last character, class or group, which a repetition behind it repeats. */
  let last = 0;
  for (let at = 0; at < expression.length; ) {
    const character = expression[at];
    if (character === '{') {
      const [whole = '', from = '', to = ''] = counted(expression, at);
      if (whole !== '') {
        last *= Math.max(1, Number(from) + (whole.endsWith(',}') ? 1 : 0), Number(to));
        at += whole.length;
        continue;
      }
    }
    if (character === '*' || character === '+' || character === '?') {
      last += 1;
      at += 1;
      continue;
    }
    before += last;
    last = 1;
    if (character === '(') {
      outer.push(before);
      before = 0;
      at += 1;
    } else if (character === ')') {
      last = before + 2;
      before = outer.pop() ?? 0;
      at += 1;
    } else if (character === '[') at = behindClass(expression, at);
    else if (character === '\\') at = behindEscape(expression, at);
    else at += 1;
  }
  return outer.reduce((sum, each) => sum + each, before + last);
}

function counted(expression: string, at: number): readonly string[] {
  const pattern = /\{(\d{1,15})(?:,(\d{0,15}))?\}/y;
  pattern.lastIndex = at;
  return pattern.exec(expression) ?? [];
}

/** A `]` right behind `[` or `[^` is part of the class. */
function behindClass(expression: string, from: number): number {
  let at = from + (expression[from + 1] === '^' ? 2 : 1);
  if (expression[at] === ']') at += 1;
  while (at < expression.length && expression[at] !== ']') {
    if (expression[at] === '\\') at += 2;
    else if (expression.startsWith('[:', at)) at = behindNamed(expression, at);
    else at += 1;
  }
  return at + 1;
}

/** `[:alpha:]`, which has a `]` of its own. */
function behindNamed(expression: string, at: number): number {
  return at + (/^\[:\^?[a-z]{1,10}:\]/.exec(expression.slice(at, at + 16))?.[0].length ?? 1);
}

/** `\pL`, `\p{Greek}` and `\x{10FFFF}` are one step. Text between `\Q` and `\E` is not skipped, so what looks special in it counts too. */
function behindEscape(expression: string, at: number): number {
  return /^[pPx]\{/.test(expression.slice(at + 1, at + 3)) ? behind(expression, '}', at) : at + 2;
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}
