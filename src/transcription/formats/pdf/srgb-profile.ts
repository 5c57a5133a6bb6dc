/**
 * The sRGB colour space as an ICC profile (version 2): what PDF/A asks for to say what red, green and blue mean. Built here from
 * the figures of the standard (IEC 61966-2-1, primaries adapted to D50), so that no file of others is needed.
 */
export function srgbProfile(): Buffer {
  const curve = toneCurve();
  const tags: [name: string, content: Buffer][] = [
    ['desc', description('sRGB')],
    ['cprt', Buffer.concat([tagType('text'), Buffer.from('No copyright, use freely\0', 'latin1')])],
    ['wtpt', xyz(0.9642, 1, 0.8249)],
    ['rXYZ', xyz(0.4360747, 0.2225045, 0.0139322)],
    ['gXYZ', xyz(0.3850649, 0.7168786, 0.0971045)],
    ['bXYZ', xyz(0.1430804, 0.0606169, 0.7141733)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length, 0);
  const contents: Buffer[] = [];
  const places = new Map<Buffer, number>();
  let end = 128 + table.length;
  for (const [index, [name, content]] of tags.entries()) {
    let place = places.get(content);
    if (place === undefined) {
      place = end;
      places.set(content, place);
      const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)]);
      contents.push(padded);
      end += padded.length;
    }
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(place, 8 + index * 12);
    table.writeUInt32BE(content.length, 12 + index * 12);
  }
  return Buffer.concat([header(end), table, ...contents]);
}

function header(size: number): Buffer {
  const head = Buffer.alloc(128);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(0x02100000, 8);
  head.write('mntrRGB XYZ ', 12, 'latin1');
  // A date is required: that of the standard.
  for (const [index, part] of [1999, 10, 18].entries()) head.writeUInt16BE(part, 24 + index * 2);
  head.write('acsp', 36, 'latin1');
  xyz(0.9642, 1, 0.8249).copy(head, 68, 8);
  return head;
}

function tagType(name: string): Buffer {
  return Buffer.from(`${name}\0\0\0\0`, 'latin1');
}

function xyz(...values: readonly number[]): Buffer {
  const numbers = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) numbers.writeInt32BE(Math.round(value * 65_536), index * 4);
  return Buffer.concat([tagType('XYZ '), numbers]);
}

function description(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length + 1, 0);
  // Then the same in Unicode and in a script of the Macintosh, both empty.
  return Buffer.concat([
    tagType('desc'),
    length,
    Buffer.from(`${text}\0`, 'latin1'),
    Buffer.alloc(8 + 3 + 67),
  ]);
}

function toneCurve(): Buffer {
  const points = 1024;
  const curve = Buffer.alloc(12 + points * 2);
  tagType('curv').copy(curve);
  curve.writeUInt32BE(points, 8);
  for (let index = 0; index < points; index++) {
    const value = index / (points - 1);
    const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    curve.writeUInt16BE(Math.round(linear * 65_535), 12 + index * 2);
  }
  return curve;
}
