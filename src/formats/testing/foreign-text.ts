import {
  drain,
  type ForeignText,
  inPieces,
  latin1,
  markupTokens,
} from '../../engine/testing/foreign-reader.ts';
import { linksIn, trimLineEnds } from '../converted/converted.ts';
import { readRecord } from '../csv/csv-record.ts';
import { readCsv } from '../csv/read-csv.ts';
import { notFormula } from '../csv/write-csv.ts';
import { decodeAttribute, decodeText } from '../markup/entities.ts';
import { escapeHtml, escapeXml } from '../markup/escape.ts';
import { firstTexts, readXml } from '../markup/read-xml.ts';
import { scanHtml } from '../markup/scan.ts';
import { openCompoundFile } from '../office/compound-file.ts';
import { readDocx, readOdt, readPptx } from '../office/office.ts';
import { readRtf } from '../office/rtf.ts';
import { writeZip } from '../zip/write-zip.ts';

const csvTokens = [',', ';', '"', '""', '\n', '\r\n', '\t'];
const entityTokens = ['&', '&amp;', '&#', '&#x41;', ';', '&notit'];
const officeTokens = [...markupTokens, '<w:p>', '</w:p>', '<w:t>'];

const ignored = { open() {}, close() {}, text() {}, raw() {} };

async function zip(name: string, content: string): Promise<Buffer> {
  return Buffer.concat(
    await Array.fromAsync(writeZip([{ name, content: Buffer.from(content) }], new Date(0))),
  );
}

export const foreignText: ForeignText = {
  readers: {
    'converted/converted.ts linksIn': {
      read: linksIn,
      samples: ['see https://example.org/…'],
      tokens: ['http://', 'https://a', '.', ',', '(', 'h'],
    },
    'converted/converted.ts trimLineEnds': { read: trimLineEnds, samples: ['a \nb'], tokens: [' \n', ' x'] },
    'csv/csv-record.ts readRecord': {
      read: (text) => readRecord(text, 0),
      samples: ['a,"…",c\n'],
      tokens: csvTokens,
      limit: [2 << 20, 'a record has at most 1 MB'],
    },
    'csv/read-csv.ts readCsv': {
      read: (text) => drain(readCsv(inPieces(text))),
      samples: ['a,b\n1,"2…"\n'],
      tokens: csvTokens,
    },
    'csv/write-csv.ts notFormula': { read: notFormula, samples: ['=1+1'], tokens: ['=', '+', '@'] },
    'markup/entities.ts decodeText': { read: decodeText, samples: ['a &amp; b'], tokens: entityTokens },
    'markup/entities.ts decodeAttribute': {
      read: decodeAttribute,
      samples: ['a &amp; b'],
      tokens: entityTokens,
    },
    'markup/escape.ts escapeXml': { read: escapeXml, samples: ['<a>'], tokens: ['<', '&', '\0', '"'] },
    'markup/escape.ts escapeHtml': { read: escapeHtml, samples: ['<a>'], tokens: ['<', '&', '\0', '"'] },
    'markup/read-xml.ts readXml': {
      read: (text) => readXml(text, { open: (_, attribute) => attribute('a') }),
      samples: ['<a b="…"/>', '<a>…</a>'],
      tokens: [...markupTokens, ' a=', '<?', '<!DOCTYPE a [', '<!ENTITY a "'],
    },
    'markup/read-xml.ts firstTexts': {
      read: (text) => firstTexts(text, ['a', 'b']),
      samples: ['<a>…</a><b>text</b>'],
      tokens: markupTokens,
    },
    'markup/scan.ts scanHtml': {
      read: (text) => scanHtml(text, ignored),
      samples: ['<p>…</p>', '<script>…</script>', '<p a="…">', '<!--…-->'],
      tokens: [...markupTokens, '<script>', '</script', '<noscript>', '<svg/>', '<plaintext>', '--!>'],
    },
    'office/rtf.ts readRtf': {
      read: (text) => readRtf(latin1(text)),
      samples: ['{\\rtf1 …}'],
      tokens: [
        '{',
        '}',
        '\\',
        '\\par ',
        "\\'e9",
        '\\u233 ',
        '\\*',
        '\\bin9 ',
        '{\\field',
        'HYPERLINK "',
        '\\uc9',
      ],
    },
    'office/office.ts readDocx': {
      read: async (text) => readDocx(await zip('word/document.xml', text)),
      samples: ['<w:p><w:t>…</w:t></w:p>'],
      tokens: officeTokens,
    },
    'office/office.ts readPptx': {
      read: async (text) => readPptx(await zip('ppt/slides/slide1.xml', text)),
      samples: ['<a:p><a:t>…</a:t></a:p>'],
      tokens: [...markupTokens, '<a:p>', '</a:p>', '<a:t>'],
    },
    'office/office.ts readOdt': {
      read: async (text) => readOdt(await zip('content.xml', text)),
      samples: ['<text:p>…</text:p>'],
      tokens: [...markupTokens, '<text:p>', '</text:p>', '<text:s text:c="9"/>'],
    },
    'office/compound-file.ts openCompoundFile': {
      read: (text) => openCompoundFile(latin1(compoundHead + text)),
      samples: [],
      tokens: ['\0\0\0\0', '\x01\0\0\0', '\xfe\xff\xff\xff', '\xff\xff\xff\xff'],
    },
  },
  excused: {
    'office/doc.ts readDoc':
      'binary structures; what it takes from them is measured by test/hostile in a process with limits',
    'pdf/pdf-text.ts readPdf': 'PDFium reads it, in a process with limits of time and memory',
  },
};

/** Sectors of 512 bytes, short sectors of 64; the directory and all tables begin in sector 0. */
const compoundHead = `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(16)}\x3e\0\x03\0\xfe\xff\x09\0\x06\0${'\0'.repeat(478)}`;
