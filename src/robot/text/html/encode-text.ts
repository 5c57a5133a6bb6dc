const tables = new Map<string, Map<string, number>>();

/** Encodes text; characters that the encoding lacks lose their accent or become question marks. */
export function encodeText(text: string, encoding: 'utf-8' | 'iso-8859-2' | 'windows-1250'): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text);
  let table = tables.get(encoding);
  if (table === undefined) {
    const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    table = new Map([...all].map((character, byte) => [character, byte]));
    tables.set(encoding, table);
  }
  const bytes: number[] = [];
  for (const character of text) bytes.push(...encodeCharacter(character, table));
  return Uint8Array.from(bytes);
}

const alike: Readonly<Record<string, string>> = {
  '„': '"',
  '“': '"',
  '”': '"',
  '‚': "'",
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '…': '...',
  '•': '*',
  '«': '"',
  '»': '"',
};

function encodeCharacter(character: string, table: ReadonlyMap<string, number>): number[] {
  const byte = table.get(character);
  if (byte !== undefined) return [byte];
  const plain = alike[character] ?? character.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return plain === character ? [63] : [...plain].map((each) => table.get(each) ?? 63);
}
