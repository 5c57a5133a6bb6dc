import type { XmlNode } from '../../../formats/markup/testing/xml-tree.ts';

/**
 * Our own description of a format: elements, their order, their attributes and the types of both. It covers only what we
 * write, not everything the format allows. It is not the official schema, which may not be copied here.
 */
export interface Structure {
  root: string;
  elements: Readonly<Record<string, ElementRule>>;
}

export interface ElementRule {
  /** Matches the names of the children, each followed by a space. Without it, children are not allowed. */
  children?: RegExp;
  required?: Readonly<Record<string, ValueType>>;
  optional?: Readonly<Record<string, ValueType>>;
  /** The type of the text. Without it, only white space is allowed. */
  text?: ValueType;
}

export type ValueType = RegExp | 'id' | 'reference';

export const types = {
  text: /^/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  whole: /^\d+$/,
  decimal: /^-?\d+(\.\d+)?$/,
  confidence: /^(0(\.\d+)?|1(\.0+)?)$/,
  points: /^\d+,\d+( \d+,\d+)+$/,
} as const;

/** All violations, one sentence each. */
export function violations(root: XmlNode, structure: Structure): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  const references: string[] = [];
  if (root.name !== structure.root) found.push(`the root is ${root.name}, not ${structure.root}`);
  visit(root);
  for (const reference of references) {
    if (!ids.has(reference)) found.push(`nothing has the id ${reference}`);
  }
  return found;

  function visit(node: XmlNode): void {
    const rule = structure.elements[node.name];
    if (rule === undefined) {
      found.push(`unknown element ${node.name}`);
      return;
    }
    const names = node.children.map((child) => `${child.name} `).join('');
    if (!(rule.children ?? /^$/).test(names)) found.push(`${node.name} may not hold: ${names}`);
    if (rule.text === undefined && node.text.trim() !== '') found.push(`${node.name} may not hold text`);
    else if (rule.text !== undefined) checkValue(node.name, node.text, rule.text);
    for (const name of Object.keys(rule.required ?? {})) {
      if (!(name in node.attributes)) found.push(`${node.name} must have ${name}`);
    }
    for (const [name, value] of Object.entries(node.attributes)) {
      const type = rule.required?.[name] ?? rule.optional?.[name];
      if (type === undefined) found.push(`${node.name} may not have ${name}`);
      else checkValue(`${node.name} ${name}`, value, type);
    }
    for (const child of node.children) visit(child);
  }

  function checkValue(what: string, value: string, type: ValueType): void {
    if (type === 'reference') references.push(value);
    else if (type === 'id') {
      if (ids.has(value)) found.push(`the id ${value} is there twice`);
      if (!/^[A-Za-z_][\w.-]*$/.test(value)) found.push(`${value} can't be an id`);
      ids.add(value);
    } else if (!type.test(value)) found.push(`${what} may not be ${JSON.stringify(value)}`);
  }
}
