import { join, relative } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

export interface ExportedFunction {
  /** `mail` */
  part: string;
  /** `model/address.ts parseContact` */
  name: string;
}

const root = join(import.meta.dirname, '../..');

/** All exported functions of src/, by the compiler's own reading; those of tests excepted. */
export function exportedFunctions(): ExportedFunction[] {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects();
    const program = project?.program;
    return (program?.getSourceFileNames() ?? []).flatMap((path) => {
      const [src, part, ...rest] = relative(root, path).split('/');
      const file = rest.join('/');
      if (src !== 'src' || part === undefined || file === '' || /\.test\.ts$|(^|\/)testing\//.test(file))
        return [];
      const names = program?.getSourceFile(path)?.statements.flatMap(functionsOf) ?? [];
      return names.map((name) => ({ part, name: `${file} ${name}` }));
    });
  } finally {
    api.close();
  }
}

function functionsOf(statement: Node): string[] {
  if (isFunctionDeclaration(statement))
    return isExported(statement.modifiers) && statement.name ? [statement.name.text] : [];
  if (!isVariableStatement(statement) || !isExported(statement.modifiers)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
    initializer && isIdentifier(name) && (isArrowFunction(initializer) || isFunctionExpression(initializer))
      ? [name.text]
      : [],
  );
}

function isExported(modifiers: readonly { kind: SyntaxKind }[] | undefined): boolean {
  return modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
}
