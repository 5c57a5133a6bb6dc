import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { nearestName } from '../../engine/ground/nearest-name.ts';
import { ancestry, type Schema, schemaFile } from './schema.ts';
import { wrongField } from './wrong-field.ts';

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

/** The built-in schemas, and those of the installation's files. */
export function loadSchemas(files: readonly string[] = []): Schemas {
  const own = builtIn.map((name) => join(import.meta.dirname, `${name}.json`));
  return createSchemas([...own, ...files].map((file) => readSchema(resolve(file))));
}

export function createSchemas(all: readonly Schema[]): Schemas {
  const kinds = new Map<string, Kind>();
  for (const [index, schema] of all.entries()) {
    if (all.findIndex(({ name }) => name === schema.name) < index)
      throw new PismakError('configuration-invalid', `two schemas have the name ${schema.name}; rename one`);
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
        name,
        schema,
        dimensionIndex,
        splitIndex,
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

/** Fails with `invalid-input`, naming the known schemas. */
export function checkSchemaName({ all }: Schemas, wanted: string | undefined): void {
  if (wanted === undefined || all.some(({ name }) => name === wanted)) return;
  const names = all.map(({ name }) => name).join(', ');
  throw new PismakError('invalid-input', `schema: there is no schema ${wanted}; use one of ${names}`);
}

function readSchema(file: string): Schema {
  const wrong = (problem: string, cause?: unknown) =>
    new PismakError('configuration-invalid', `schema ${file}: ${problem}`, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw wrong(reasonOf(error), error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong('it is not JSON', error);
  }
  const read = schemaFile.safeParse(value);
  if (!read.success) throw wrong(wrongField(read.error), read.error);
  return read.data;
}
