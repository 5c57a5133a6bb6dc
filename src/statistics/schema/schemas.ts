import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf, PismakError } from '../../engine/errors.ts';
import { nearestName } from '../../engine/nearest-name.ts';
import { ancestry, type Schema, schemaFile } from './schema.ts';

/** A kind of entities with what its schema says about it. */
export interface Kind {
  name: string;
  schema: Schema;
  /** Kinds above it, the nearest first. */
  ancestors: readonly string[];
  dimensionIndex: ReadonlyMap<string, number>;
  splitIndex: ReadonlyMap<string, number>;
}

/** The schemas of an installation. No two of them have a kind in common. */
export interface Schemas {
  readonly all: readonly Schema[];
  readonly kinds: readonly Kind[];
  find(kind: string): Kind | undefined;
  /** Fails with `invalid-input` and the nearest kind. */
  get(kind: string): Kind;
}

const builtIn = ['advertising', 'pismak'];

/** The schemas that come along, and those of the installation's own files. */
export function loadSchemas(files: readonly string[] = []): Schemas {
  const own = builtIn.map((name) => join(import.meta.dirname, `${name}.json`));
  return createSchemas([...own, ...files].map((file) => readSchema(resolve(file))));
}

export function createSchemas(all: readonly Schema[]): Schemas {
  const kinds = new Map<string, Kind>();
  for (const schema of all) {
    const dimensionIndex = new Map(schema.dimensions.map(({ name }, index) => [name, index]));
    const splitIndex = new Map(schema.split.values.map((name, index) => [name, index]));
    for (const name of Object.keys(schema.kinds)) {
      const other = kinds.get(name);
      if (other)
        throw new PismakError(
          'configuration-invalid',
          `the schemas ${other.schema.name} and ${schema.name} both have the kind ${name}; rename one`,
        );
      kinds.set(name, {
        ...{ name, schema, dimensionIndex, splitIndex },
        ancestors: ancestry(schema.kinds, name),
      });
    }
  }
  return {
    all,
    kinds: [...kinds.values()],
    find: (kind) => kinds.get(kind),
    get(kind) {
      const found = kinds.get(kind);
      if (found) return found;
      const near = nearestName(kind, [...kinds.keys()]);
      throw new PismakError(
        'invalid-input',
        `kind: there is no kind ${kind}${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    },
  };
}

function readSchema(file: string): Schema {
  try {
    return schemaFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new PismakError('configuration-invalid', `schema ${file}: ${messageOf(error)}`, { cause: error });
  }
}
