import { SaxesParser } from 'saxes';

export interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  /** Own text, without that of children. */
  text: string;
}

/** Parses a document strictly; throws if it is not well-formed. */
export function parseXml(source: string): XmlNode {
  const document: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open: XmlNode[] = [document];
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const node = { name, attributes: { ...attributes }, children: [], text: '' };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('text', (text) => {
    const node = open.at(-1);
    if (node !== undefined) node.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(source).close();
  const [root] = document.children;
  if (root === undefined) throw new Error('an empty document');
  return root;
}

/** All elements with this name, in order. */
export function all(node: XmlNode, name: string): XmlNode[] {
  const own = node.name === name ? [node] : [];
  return [...own, ...node.children.flatMap((child) => all(child, name))];
}
