import { deflateSync } from 'node:zlib';
import { type PdfObject, writePdf } from '../pdf/write-pdf.ts';

/** A PDF of one page that does harm in what it draws, what it refers to, or what it says about itself. */
function pdf(page: {
  box?: string;
  content?: string | Uint8Array;
  resources?: string;
  more?: PdfObject[];
  entries?: string;
}) {
  const { box = '[0 0 595 842]', content = '', resources = '', more = [], entries = '' } = page;
  return writePdf([
    { entries: '/Type/Catalog/Pages 2 0 R' },
    { entries: '/Type/Pages/Kids[3 0 R]/Count 1' },
    { entries: `/Type/Page/Parent 2 0 R/MediaBox${box}/Contents 4 0 R/Resources<<${resources}>>${entries}` },
    packed('', content),
    ...more,
  ]);
}

function packed(entries: string, content: string | Uint8Array): PdfObject {
  return { entries: `${entries}/Filter/FlateDecode`, stream: deflateSync(content) };
}

/** Content that takes a page far too long. */
export const slowPage = 'q 0.5 g 0 0 m 595 842 l 300 0 l 0 842 l 595 0 l h B* Q\n'.repeat(400_000);

/** A PDF of small pages with this content; nothing is an empty page. */
export function pdfOf(contents: readonly (string | undefined)[]): Uint8Array {
  const kids = contents.map((_, index) => `${3 + index * 2} 0 R`).join(' ');
  return writePdf([
    { entries: '/Type/Catalog/Pages 2 0 R' },
    { entries: `/Type/Pages/Kids[${kids}]/Count ${contents.length}` },
    ...contents.flatMap((content = '', index) => [
      { entries: `/Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents ${4 + index * 2} 0 R` },
      packed('', content),
    ]),
  ]);
}

const form = '/Type/XObject/Subtype/Form/BBox[0 0 595 842]';

/** Pages that take far too long. The first object of `more` is number 5. */
export const slowPdfs: Record<string, () => Uint8Array> = {
  'a tiling pattern with tiny steps': () =>
    pdf({
      resources: '/Pattern<</P 5 0 R>>',
      content: '/Pattern cs /P scn 0 0 595 842 re f\n'.repeat(2000),
      more: [
        packed(
          '/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 0.01/YStep 0.01/Resources<<>>',
          '1 0 0 rg 0 0 5 5 re f',
        ),
      ],
    }),
  'a content of a million shapes': () => pdf({ content: slowPage }),
  'forms that use each other exponentially': () =>
    pdf({
      resources: '/XObject<</F 5 0 R>>',
      content: '/F Do',
      more: Array.from({ length: 24 }, (_, depth) =>
        packed(`${form}/Resources<</XObject<</F ${depth + 6} 0 R>>>>`, '/F Do '.repeat(12)),
      ).concat([packed(form, '0 0 595 842 re f '.repeat(100))]),
    }),
  'transparency groups with soft masks': () =>
    pdf({
      resources: '/XObject<</F 6 0 R>>/ExtGState<</G 5 0 R>>',
      content: '/G gs /F Do\n'.repeat(20_000),
      more: [
        { entries: '/Type/ExtGState/SMask<</S/Luminosity/G 6 0 R>>/BM/Luminosity' },
        packed(`${form}/Group<</S/Transparency/CS/DeviceRGB>>`, '1 0 0 rg 0 0 595 842 re f'),
      ],
    }),
  'a shading with a costly function': () =>
    pdf({
      resources: '/Shading<</S 5 0 R>>',
      content: '/S sh\n'.repeat(20_000),
      more: [
        {
          entries:
            '/ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]/Matrix[595 0 0 842 0 0]/Function 6 0 R',
        },
        packed(
          '/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]',
          `{ ${'2 copy mul sin exch cos '.repeat(200)} dup dup }`,
        ),
      ],
    }),
};

/** Pages whose size is nonsense, or whose pixels would fill the memory. */
export const hugePdfs: Record<string, () => Uint8Array> = {
  'a page a thousandth of a point wide and 35 km high': () => pdf({ box: '[0 0 0.001 100000000]' }),
  'a page 35 km wide': () => pdf({ box: '[0 0 100000000 0.001]' }),
  'a page of 3.4e38 points': () => pdf({ box: '[0 0 3.4e38 340000000000000000000000000000000000000]' }),
  'a page without area': () => pdf({ box: '[7 7 7 7]', entries: '/CropBox[7 7 7 7]' }),
  'a page turned inside out': () => pdf({ box: '[20000 20000 0 0]' }),
  'a page without numbers': () => pdf({ box: '[/a /b (c) null]' }),
  'a page of a million units': () => pdf({ box: '[0 0 14400 14400]', entries: '/UserUnit 1000000' }),
  'an image that unpacks to gigabytes': () =>
    pdf({
      resources: '/XObject<</I 5 0 R>>',
      content: 'q 595 0 0 842 0 0 cm /I Do Q',
      more: [
        {
          entries:
            '/Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter[/FlateDecode/FlateDecode]',
          stream: deflateSync(deflateSync(Buffer.alloc(50_000_000))),
        },
      ],
    }),
};

/** Files whose structure leads nowhere. */
export const crookedPdfs: Record<string, () => Uint8Array> = {
  'a page tree that is its own child': () =>
    writePdf([
      { entries: '/Type/Catalog/Pages 2 0 R' },
      { entries: '/Type/Pages/Kids[2 0 R 2 0 R]/Count 2' },
    ]),
  'a tree of pages a hundred thousand deep': () =>
    writePdf([
      { entries: '/Type/Catalog/Pages 2 0 R' },
      ...Array.from({ length: 100_000 }, (_, depth) => ({
        entries: `/Type/Pages/Kids[${depth + 3} 0 R]/Count 1/Parent ${depth + 1} 0 R`,
      })),
    ]),
  'two thousand million pages': () =>
    writePdf([{ entries: '/Type/Catalog/Pages 2 0 R' }, { entries: '/Type/Pages/Kids[]/Count 2147483647' }]),
  'an array of a million arrays': () =>
    pdf({ entries: `/Annots${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}` }),
  'a form that draws itself': () =>
    pdf({
      resources: '/XObject<</F 5 0 R>>',
      content: '/F Do',
      more: [packed(`${form}/Resources<</XObject<</F 5 0 R>>>>`, '/F Do /F Do')],
    }),
  'a content packed a hundred times': () => {
    let stream: Uint8Array = Buffer.from('0 0 9 9 re f');
    for (let time = 0; time < 100; time++) stream = deflateSync(stream);
    const objects = [
      { entries: '/Type/Catalog/Pages 2 0 R' },
      { entries: '/Type/Pages/Kids[3 0 R]/Count 1' },
    ];
    const page = { entries: '/Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R' };
    return writePdf([...objects, page, { entries: `/Filter[${'/FlateDecode'.repeat(100)}]`, stream }]);
  },
  'a content that unpacks to a hundred megabytes': () =>
    writePdf([
      { entries: '/Type/Catalog/Pages 2 0 R' },
      { entries: '/Type/Pages/Kids[3 0 R]/Count 1' },
      { entries: '/Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R' },
      {
        entries: '/Filter[/FlateDecode/FlateDecode]',
        stream: deflateSync(deflateSync(Buffer.alloc(100_000_000, ' '))),
      },
    ]),
  'objects in a stream that claims a thousand million of them': () =>
    writePdf([
      { entries: '/Type/Catalog/Pages 2 0 R' },
      packed('/Type/ObjStm/N 1000000000/First 10', '2 0 <</Type/Pages/Kids[]/Count 0>>'),
    ]),
};
