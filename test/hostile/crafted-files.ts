import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { pdf, storedZip, tiff } from './file-builders.ts';
import type { HostileFile } from './hostile-files.ts';

/** Files that cost much, lie about themselves or try to escape. Each is small. */
export function craftedFiles(): HostileFile[] {
  const of = (name: string, content: Uint8Array): HostileFile => ({ name, kind: 'crafted', content });
  return [
    of('tiling.pdf', tilingPdf()),
    of('long-content.pdf', onePage(`${'0 0 m 600 800 l S '.repeat(2_000_000)}`)),
    of('forms.pdf', nestedForms(24)),
    of('wide.pdf', onePage('', '[0 0 0.001 100000000]')),
    of('huge.pdf', onePage('', '[0 0 1000000 1000000]')),
    of('empty-box.pdf', onePage('', '[0 0 0 0]')),
    of('negative.pdf', onePage('', '[100 100 -100 -100]')),
    of('not-a-number.pdf', onePage('', '[0 0 1e99999 (x)]')),
    of('loop.pdf', loopingPages()),
    of('many-pages.pdf', manyPages(20_000)),
    of('bomb.png', pngBomb(60_000, 60_000)),
    of('wide.png', pngBomb(1_000_000, 2)),
    of('empty.png', new Uint8Array()),
    of('loop.tif', loopingTiff()),
    of('huge.tif', hugeTiff()),
    of('text.jpg', Buffer.from('not a picture at all\n'.repeat(1000))),
    of(
      'escape.zip',
      storedZip([
        ['../../../tmp/escaped.png', pngBomb(2, 2)],
        ['/etc/cron.d/x', pngBomb(2, 2)],
      ]),
    ),
    of(
      'same-names.zip',
      storedZip([
        ['a.png', pngBomb(3, 3)],
        ['a.png', pngBomb(4, 4)],
        ['A.png', pngBomb(5, 5)],
      ]),
    ),
    of(
      'many.zip',
      storedZip(Array.from({ length: 20_000 }, (_, n) => [`${n}.png`, new Uint8Array()] as const)),
    ),
    of(
      'bomb.zip',
      storedZip([['a.png', deflateRawSync(Buffer.alloc(200_000_000))]], { method: 8, size: 200_000_000 }),
    ),
    of('liar.zip', storedZip([['a.png', deflateRawSync(Buffer.alloc(50_000_000))]], { method: 8, size: 10 })),
    of('nested.zip', nestedZip(12)),
    of('..', pngBomb(2, 2)),
    of('name\u202egnp.exe', pngBomb(2, 2)),
    of('entities.svg', Buffer.from(laughs())),
  ];
}

function onePage(content: string, box = '[0 0 600 800]', resources = '<< >>'): Uint8Array {
  const packed = deflateSync(content);
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents 4 0 R /Resources ${resources} >>`,
    [`<< /Length ${packed.length} /Filter /FlateDecode >>`, packed],
  ]);
}

/** A pattern with steps of a thousandth of a point: millions of tiles on the page. */
function tilingPdf(): Uint8Array {
  const cell = Buffer.from('0 0 m 1 1 l S '.repeat(50));
  const content = deflateSync('/Pattern cs /P scn 0 0 600 800 re f '.repeat(200));
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Pattern << /P 5 0 R >> >> >>',
    [`<< /Length ${content.length} /Filter /FlateDecode >>`, content],
    [
      `<< /Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.01 /YStep 0.01 /Resources << >> /Length ${cell.length} >>`,
      cell,
    ],
  ]);
}

/** Each form shows the next one ten times. */
function nestedForms(levels: number): Uint8Array {
  const form = (number: number) => {
    const inner = Buffer.from(number < levels ? '/F Do '.repeat(10) : '0 0 m 9 9 l S');
    const next = number < levels ? `/XObject << /F ${number + 5} 0 R >>` : '';
    return [
      `<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${next} >> /Length ${inner.length} >>`,
      inner,
    ] as const;
  };
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
    ['<< /Length 5 >>', Buffer.from('/F Do')],
    ...Array.from({ length: levels }, (_, index) => form(index + 1)),
  ]);
}

function loopingPages(): Uint8Array {
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 /Parent 2 0 R >>',
  ]);
}

function manyPages(count: number): Uint8Array {
  const kids = '3 0 R '.repeat(count);
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 20 20] >>',
  ]);
}

/** Says that it is large, and has hardly any data. */
function pngBomb(width: number, height: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(4);
    frame.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([frame, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Math.min(height, 4_000) * (Math.ceil(width / 8) + 1);
  const data = deflateSync(Buffer.alloc(Math.min(rows, 30_000_000)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Its list of pages leads back to its first page. */
function loopingTiff(): Uint8Array {
  return tiff([[256, 3, 1, 1]], { loops: true });
}

function hugeTiff(): Uint8Array {
  return tiff([
    [256, 4, 1, 4_000_000_000],
    [257, 4, 1, 4_000_000_000],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, 0xffffffff, 8],
    [279, 4, 0xffffffff, 8],
  ]);
}

function nestedZip(levels: number): Uint8Array {
  let inner = storedZip([['a.png', pngBomb(2, 2)]]);
  for (let level = 0; level < levels; level++)
    inner = storedZip([
      [`${level}.zip`, inner],
      ['b.zip', inner],
    ]);
  return inner;
}

function laughs(): string {
  const lines = Array.from({ length: 12 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "ha">${lines.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"><text>&a12;</text></svg>`;
}
