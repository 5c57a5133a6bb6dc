import type { JsonSchema } from '../../src/server/routes/query-input.ts';

/** An object in several answers: described once, and named everywhere else. */
export interface SharedObject {
  /** `Stage` */
  name: string;
  /** The noun whose section describes it. */
  noun: string;
  schema: JsonSchema;
}

interface Found {
  name: string;
  noun: string;
  schema: JsonSchema;
  count: number;
}

const fewestFields = 4;

/** Objects that occur more than once in the answers, named by their `title`, or after the list or field that holds them. */
export class SharedObjects {
  readonly all: readonly SharedObject[];
  readonly #byShape = new Map<string, Found>();

  constructor(answers: readonly { noun: string; schema: JsonSchema }[]) {
    for (const { noun, schema } of answers) this.#visit(schema, noun, noun);
    const nouns = new Set(answers.map(({ noun }) => noun));
    const shared = [...this.#byShape.values()].filter(({ count }) => count > 1);
    for (const found of shared) {
      if (nouns.has(found.name)) found.noun = found.name;
      found.name = capital(found.name);
    }
    const names = shared.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice) throw new Error(`two objects are called ${twice}: give one a name with .meta({ title })`);
    this.all = shared;
  }

  nameOf(schema: JsonSchema): string | undefined {
    const found = this.#byShape.get(shapeOf(schema) ?? '');
    return found && found.count > 1 ? found.name : undefined;
  }

  #visit(schema: JsonSchema, name: string, noun: string): void {
    const shape = shapeOf(schema);
    const known = shape === undefined ? undefined : this.#byShape.get(shape);
    if (known) {
      known.count++;
      return;
    }
    if (shape !== undefined)
      this.#byShape.set(shape, { name: titleOf(schema) ?? name, noun, schema, count: 1 });
    for (const [field, inner] of Object.entries(schema.properties ?? {})) this.#visit(inner, field, noun);
    for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) this.#visit(inner, name, noun);
    if (schema.items) this.#visit(schema.items, singular(name), noun);
  }
}

function titleOf({ title }: JsonSchema): string | undefined {
  return typeof title === 'string' ? title : undefined;
}

/** Equal for equal objects, however each use describes it. */
function shapeOf(schema: JsonSchema): string | undefined {
  const { description: _, default: __, $defs: ___, ...rest } = schema;
  return Object.keys(schema.properties ?? {}).length < fewestFields ? undefined : JSON.stringify(rest);
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
