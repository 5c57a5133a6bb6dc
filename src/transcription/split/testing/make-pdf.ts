import { type PdfObject, writePdf } from '../pdf/write-pdf.ts';

/** A page of a test PDF: lines of text, or an image over the whole page. Sizes in points. */
export interface TestPage {
  width: number;
  height: number;
  lines?: readonly string[];
  jpeg?: { bytes: Uint8Array; width: number; height: number };
  rotate?: number;
}

export function makePdf(pages: readonly TestPage[], trailer = ''): Uint8Array {
  const font = 3;
  const first = 4;
  const kids = pages.map((_, index) => `${first + index * 3} 0 R`).join(' ');
  const objects: PdfObject[] = [
    { entries: '/Type/Catalog/Pages 2 0 R' },
    { entries: `/Type/Pages/Kids[${kids}]/Count ${pages.length}` },
    { entries: '/Type/Font/Subtype/Type1/BaseFont/Times-Roman' },
  ];
  for (const [index, page] of pages.entries()) {
    const number = first + index * 3;
    const { width, height, lines = [], jpeg, rotate = 0 } = page;
    const resources = `/Resources<</Font<</F ${font} 0 R>>/XObject<</I ${number + 2} 0 R>>>>`;
    const box = `/MediaBox[0 0 ${width} ${height}]/Rotate ${rotate}`;
    const text = lines.map((line, row) => `BT /F 14 Tf 72 ${height - 90 - row * 20} Td (${line}) Tj ET`);
    const image = jpeg ? [`q ${width} 0 0 ${height} 0 0 cm /I Do Q`] : [];
    const size = `/Width ${jpeg?.width ?? 1}/Height ${jpeg?.height ?? 1}/ColorSpace/DeviceGray/BitsPerComponent 8`;
    objects.push(
      { entries: `/Type/Page/Parent 2 0 R${box}/Contents ${number + 1} 0 R${resources}` },
      { entries: '', stream: Buffer.from([...image, ...text].join('\n')) },
      {
        entries: `/Type/XObject/Subtype/Image${size}${jpeg ? '/Filter/DCTDecode' : ''}`,
        stream: jpeg?.bytes ?? Buffer.from('\0'),
      },
    );
  }
  return writePdf(objects, trailer);
}

/** A PDF that claims to be password-protected. */
export function protectedPdf(): Uint8Array {
  const key = 'ab'.repeat(32);
  const encrypt = `/Encrypt<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -44>>/ID[<${'cd'.repeat(16)}><${'cd'.repeat(16)}>]`;
  return makePdf([{ width: 300, height: 300, lines: ['secret'] }], encrypt);
}
