import { escapeXml } from '../../../formats/markup/escape.ts';
import { writer } from '../about.ts';
import { pdfText, pdfTime } from './pdf-objects.ts';

export interface PdfAbout {
  title: string;
  created: Date;
}

const producer = `${writer.name} ${writer.version}`;

/** Title, program and times, in the two forms that PDF has for them. PDF/A wants both to say the same. */
export function pdfMetadata({ title, created }: PdfAbout): { info: string; xmp: Buffer } {
  const name = printable(title);
  const time = pdfTime(created);
  const shown = `${created.toISOString().slice(0, 19)}Z`;
  const info = `/Title ${pdfText(name)} /Producer ${pdfText(producer)} /CreationDate ${time} /ModDate ${time}`;
  const xmp = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
   <dc:format>application/pdf</dc:format>
   <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(name)}</rdf:li></rdf:Alt></dc:title>
   <pdf:Producer>${escapeXml(producer)}</pdf:Producer>
   <xmp:CreateDate>${shown}</xmp:CreateDate>
   <xmp:ModifyDate>${shown}</xmp:ModifyDate>
   <pdfaid:part>2</pdfaid:part>
   <pdfaid:conformance>B</pdfaid:conformance>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
  return { info, xmp: Buffer.from(xmp) };
}

/** Without what XML forbids, so that both forms agree. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]+/gu, ' ')
    .trim();
}
