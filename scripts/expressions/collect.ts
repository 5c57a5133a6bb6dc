import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

/** A regular expression in the source: a literal, or a call of `RegExp`, whose pattern only exists at run time. */
export interface Expression {
  file: string;
  line: number;
  /** `/\s+$/u`, or `RegExp(...)`. */
  text: string;
  isBuilt: boolean;
  /** What its comment `// linear: REASON` says. */
  reason?: string;
}

/** A comment `// linear:` that belongs to no expression. */
export interface LooseReason {
  file: string;
  line: number;
}

/** After one of these a slash divides; after anything else it begins an expression. */
const endsOperand: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.PlusPlusToken,
  SyntaxKind.MinusMinusToken,
]);

interface Token {
  kind: SyntaxKind;
  text: string;
  line: number;
}

/** All expressions of a file with the reasons beside them, and reasons that stand beside none. */
export function collect(file: string, source: string): { expressions: Expression[]; loose: LooseReason[] } {
  const tokens = tokensOf(source);
  const reasons = reasonsIn(tokens);
  const expressions = expressionsIn(tokens.filter(({ kind }) => !isTrivia(kind))).map((found) => {
    const reason = reasons.get(found.line)?.text;
    return { file, ...found, ...(reason !== undefined && { reason }) };
  });
  const lines = new Set(expressions.map(({ line }) => line));
  const loose = [...reasons].filter(([line]) => !lines.has(line)).map(([, { line }]) => ({ file, line }));
  return { expressions, loose };
}

type Found = Pick<Expression, 'line' | 'text' | 'isBuilt'>;

function expressionsIn(code: readonly Token[]): Found[] {
  return code.flatMap(({ kind, text, line }, at): Found[] => {
    if (kind === SyntaxKind.RegularExpressionLiteral) return [{ line, text, isBuilt: false }];
    const isBuilt =
      kind === SyntaxKind.Identifier &&
      text === 'RegExp' &&
      (code[at - 1]?.kind === SyntaxKind.NewKeyword || code[at + 1]?.kind === SyntaxKind.OpenParenToken);
    return isBuilt ? [{ line, text: 'RegExp(...)', isBuilt }] : [];
  });
}

/** By the line that they speak of: the one they end, or the next line of code. */
function reasonsIn(tokens: readonly Token[]): Map<number, { text: string; line: number }> {
  const found = new Map<number, { text: string; line: number }>();
  for (const [at, { kind, text, line }] of tokens.entries()) {
    const reason = /^\/\/ linear: (\S.*)$/.exec(text)?.[1];
    if (kind !== SyntaxKind.SingleLineCommentTrivia || reason === undefined) continue;
    const endsLine = tokens[at - 1]?.line === line && !isTrivia(tokens[at - 1]?.kind);
    const code = endsLine ? line : tokens.slice(at).find((next) => !isTrivia(next.kind))?.line;
    found.set(code ?? line, { text: reason, line });
  }
  return found;
}

function isTrivia(kind: SyntaxKind | undefined): boolean {
  return kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;
}

function isSpace(kind: SyntaxKind): boolean {
  return kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia;
}

/** Code and comments. It only reads tokens, because parsing the whole project takes seconds. */
function tokensOf(source: string): Token[] {
  const scanner = createScanner(false, undefined, source);
  const tokens: Token[] = [];
  /** For each open brace, whether it belongs to a template: then the template goes on after it. */
  const braces: boolean[] = [];
  let before: SyntaxKind = SyntaxKind.Unknown;
  let line = 1;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const slash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    if (slash && !endsOperand.has(before)) kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false);
    if (kind === SyntaxKind.CloseBraceToken && braces.pop()) kind = scanner.reScanTemplateToken(false);
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true);
    const text = scanner.getTokenText();
    if (!isSpace(kind)) tokens.push({ kind, text, line });
    if (!isSpace(kind) && !isTrivia(kind)) before = kind;
    line += text.split('\n').length - 1;
  }
  return tokens;
}
