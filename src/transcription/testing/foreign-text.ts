import { type ForeignText, latin1, markupTokens } from '../../engine/testing/foreign-reader.ts';
import { divideWord } from '../correct/apply-rules.ts';
import { parseCorrectConfig } from '../correct/config.ts';
import { createDictionary } from '../correct/dictionary.ts';
import { parseRule, parseRules } from '../correct/rules.ts';
import { toSymbols } from '../evaluation/symbols.ts';
import { parseExportConfig } from '../export/config.ts';
import { readJpegHeader } from '../formats/pdf/jpeg-header.ts';
import { parseValue, skipSpace } from '../formats/pdf/original/pdf-value.ts';
import { readPng } from '../formats/pdf/png-chunks.ts';
import { readCut } from '../iiif/image-request.ts';
import { foreignFormat, sourceFormat } from '../image/source-format.ts';
import { withEndedTiffChain } from '../image/tiff-chain.ts';
import { parseKeywordsConfig } from '../keywords/config.ts';
import { parseLayoutConfig } from '../layout/layout-config.ts';
import { parsePrepareConfig } from '../prepare/prepare-config.ts';
import { readAlto } from '../recognise/alto.ts';
import { parseRecogniseConfig } from '../recognise/config.ts';
import { mendWord } from '../recognise/mend-fraktur.ts';
import { readHocr } from '../recognise/read-hocr.ts';
import { parseQuery } from '../search/query.ts';
import { snippetOf } from '../search/snippet.ts';
import { parseSingleConfig } from '../single/single-config.ts';
import { parseSplitConfig } from '../split/split-config.ts';
import { foldedText, foldedWords } from '../text/fold.ts';
import { wordText } from '../text/text.ts';

const configTokens = ['\n', ' ', '#', ' #', ';', '=', '"', "'", '[', ']', ' => ', '/', '---\n'];
const configLimit = [400_000, 'the limit on a stage’s configuration'] as const;
const fileLimit = [1_000_000, 'the limit on a small file of a stage'] as const;
const wordTokens = ['a', ' ', '.', 'ſ', '{', '<', '\\', 'ě', 'e\u0301', '\u0301', '😀', 'ﬁ', '\n'];
const config = (parse: (text: string) => unknown, key: string) => ({
  read: parse,
  samples: ['# …\n', '…', `${key} …`],
  tokens: configTokens,
  limit: configLimit,
});
const hocr = (inside: string) => `<div class='ocr_page' title='bbox 0 0 9 9'>${inside}</div>`;

export const foreignText: ForeignText = {
  readers: {
    'correct/apply-rules.ts divideWord': { read: divideWord, samples: ['„slovo…“'], tokens: wordTokens },
    'correct/config.ts parseCorrectConfig': config(parseCorrectConfig, '# teh => the'),
    'correct/dictionary.ts createDictionary': {
      read: (text) => createDictionary(text).correction('slovjce'),
      samples: ['slovo\t9\n…'],
      tokens: ['\n', '\t', 'slovo\n', 'ž', ' '],
      limit: fileLimit,
    },
    'correct/rules.ts parseRules': {
      read: parseRules,
      samples: ['teh => the …', '/…a/ => b'],
      tokens: configTokens,
      limit: fileLimit,
    },
    'correct/rules.ts parseRule': {
      read: (text) => parseRule(text, 1),
      samples: ['teh => the …', '/…a/ => b'],
      tokens: configTokens,
      limit: fileLimit,
    },
    'evaluation/symbols.ts toSymbols': {
      read: (text) =>
        toSymbols(text, { ignoreDiacritics: true, ignorePunctuation: true, modernLetters: true }),
      samples: ['slovo…'],
      tokens: wordTokens,
    },
    'export/config.ts parseExportConfig': config(parseExportConfig, '#'),
    'formats/pdf/jpeg-header.ts readJpegHeader': {
      read: (text) => readJpegHeader(latin1(`\xff\xd8${text}`)),
      samples: ['\xff\xe1\0\x20Exif\0\0II*\0\x08\0\0\0…'],
      tokens: ['\xff', '\xff\xe1\0\x02', '\xff\xe1\0\x08Exif\0\0', '\0', '\xff\xe0\0\x02'],
    },
    'formats/pdf/png-chunks.ts readPng': {
      read: (text) => readPng(latin1(`\x89PNG\r\n\x1a\n${text}`)),
      samples: [],
      tokens: ['\0\0\0\0IDAT\0\0\0\0', '\0\0\0\0PLTE\0\0\0\0', '\0\0\0\x0dIHDR', '\0', '\xff'],
    },
    'formats/pdf/original/pdf-value.ts parseValue': {
      read: (text) => parseValue(text, 0),
      samples: ['<< /A (…) >>', '[ … ]', '<< /A …1 0 R >>', '%…\n/A '],
      tokens: ['<<', '>>', '[', ']', '(', ')', '\\', '/A ', '1 0 R ', '1 ', '<', '%', '%\n', ' '],
      limit: [16 << 20, 'a longer value is refused'],
    },
    'formats/pdf/original/pdf-value.ts skipSpace': {
      read: (text) => skipSpace(text, 0),
      samples: [' % a…\n'],
      tokens: ['%', '\n', '\r', ' ', '%\n', '\0'],
      limit: [16 << 20, 'a longer value is refused'],
    },
    'iiif/image-request.ts readCut': {
      read: (text) => readCut({ width: 900, height: 900 }, { region: text || 'full', size: 'max' }),
      samples: ['0,0,9,9…'],
      tokens: [',', '0', '!', '1,'],
    },
    'image/source-format.ts sourceFormat': {
      read: (text) => sourceFormat(latin1(text)),
      samples: ['%PDF-…'],
      tokens: ['%PDF', '\0', 'II*\0', '%'],
    },
    'image/source-format.ts foreignFormat': {
      read: (text) => foreignFormat(latin1(text)),
      samples: [' …<'],
      tokens: [' ', '<', '\0', 'GIF8'],
    },
    'image/tiff-chain.ts withEndedTiffChain': {
      read: (text) => withEndedTiffChain(latin1(`II*\0\x08\0\0\0${text}`)),
      samples: ['\x01\0'],
      tokens: ['\0', '\x01\0', '\x08\0\0\0', '\xff', '\x01\0\x0a\0\0\0\0\0\0\0\0\0'],
    },
    'keywords/config.ts parseKeywordsConfig': config(parseKeywordsConfig, '#'),
    'layout/layout-config.ts parseLayoutConfig': config(parseLayoutConfig, '#'),
    'prepare/prepare-config.ts parsePrepareConfig': config(parsePrepareConfig, '#'),
    'recognise/alto.ts readAlto': {
      read: readAlto,
      samples: [
        '<alto><Page WIDTH="9" HEIGHT="9">…</Page></alto>',
        '<Page/><TextBlock><TextLine>…</TextLine></TextBlock>',
      ],
      tokens: [
        ...markupTokens,
        '<TextBlock>',
        '<TextLine>',
        '<String CONTENT="a"/>',
        '<HYP/>',
        '<Page>',
        '<MeasurementUnit>',
      ],
    },
    'recognise/config.ts parseRecogniseConfig': config(parseRecogniseConfig, '#'),
    'recognise/mend-fraktur.ts mendWord': {
      read: mendWord,
      samples: ['ſ…{a'],
      tokens: [...wordTokens, '{a', '<h', '\\<'],
    },
    'recognise/read-hocr.ts readHocr': {
      read: (text) => readHocr(text),
      samples: [
        hocr('…'),
        hocr(
          "<span class='ocr_line' title='bbox 0 0 9 9; …'><span class='ocrx_word' title='bbox 0 0 9 9'>a</span></span>",
        ),
        hocr("<span class='…' title='bbox 0 0 9 9'>a</span>"),
        hocr("<span class='ocrx_word' title='bbox 0 0 9 9'>…</span>"),
      ],
      tokens: [
        ...markupTokens,
        ' ',
        ';',
        'bbox ',
        '1 ',
        'baseline ',
        "<span class='ocrx_word' title='bbox 0 0 9 9'>",
        '-',
      ],
    },
    'search/query.ts parseQuery': {
      read: parseQuery,
      samples: ['slovo "…a"'],
      tokens: ['"', '*', ' ', 'a', 'a ', '"a"', 'ě'],
      limit: [1000, 'the limit on a query'],
    },
    'search/snippet.ts snippetOf': {
      read: (text) => snippetOf(text, [{ words: ['a', 'a', 'b'], prefix: false }]),
      samples: ['a a …b'],
      tokens: ['a ', 'b', ' ', 'a', 'a a b ', '😀'],
    },
    'single/single-config.ts parseSingleConfig': config(parseSingleConfig, '#'),
    'split/split-config.ts parseSplitConfig': config(parseSplitConfig, '#'),
    'text/fold.ts foldedText': { read: foldedText, samples: ['slovo …'], tokens: wordTokens },
    'text/fold.ts foldedWords': { read: foldedWords, samples: ['slovo …'], tokens: wordTokens },
    'text/text.ts wordText': { read: wordText, samples: ['slovo …'], tokens: wordTokens },
  },
  excused: {
    'commands/read-formats.ts readFormats': 'an option of a command',
    'correct/apply-rules.ts wordsOf': 'walks through a page',
    'documents/lines-of-page.ts linesOfPage': 'walks through a page that we wrote',
    'documents/progress.ts readPages': 'our own counts',
    'documents/read-page-text.ts readPageText': 'texts that we wrote',
    'documents/read-pages.ts readPagesOf': 'pages that we wrote',
    'documents/requests.ts splitItem': 'makes a request',
    'evaluation/text-files.ts readText': 'a file of the person who runs the command',
    'image/decode-strictly.ts decodeStrictly': 'pixels; libvips decodes them, with limits',
    'image/open-image.ts readGrey': 'pixels; libvips decodes them, with limits',
    'page/job-page.ts readLayout': 'a page that an earlier stage of ours wrote, with a limit of its own',
    'page/job-page.ts readOrder': 'an order that we wrote',
    'page/job-page.ts readPage': 'a page that an earlier stage of ours wrote, with a limit of its own',
    'page/job-page.ts readTransformation': 'a file that an earlier stage of ours wrote',
    'prepare/clean-shades.ts cleanShades': 'pixels, in number limited before',
    'prepare/orientation.ts readOrientation': 'pixels, in number limited before',
    'recognise/guess-language.ts guessLanguage': 'pixels; asks the recogniser',
    'recognise/keep-surer.ts linesOf': 'walks through a page',
    'recognise/keep-surer.ts wordsOf': 'walks through a page',
    'recognise/pismak/decode.ts decode': 'the model’s own answer',
    'recognise/pismak/normalise-line.ts normaliseLine': 'pixels of a line',
    'recognise/pismak/read-lines.ts readLines': 'pixels of lines',
    'recognise/pismak/words.ts splitWords': 'the model’s own answer',
    'recognise/read-carefully.ts readCarefully': 'pixels; asks the recogniser',
    'recognise/read-carefully.ts readChosen': 'pixels; asks the recogniser',
    'recognise/read-carefully.ts readOnce': 'pixels; asks the recogniser',
    'recognise/read-carefully.ts readUpright': 'pixels; asks the recogniser',
    'recognise/read-carefully.ts readView': 'pixels; asks the recogniser',
    'recognise/read-rest.ts readDoubtful': 'pixels; asks the recogniser',
    'recognise/read-rest.ts readRest': 'pixels; asks the recogniser',
    'recognise/read-spread.ts foldOf': 'pixels',
    'recognise/read-spread.ts readHalves': 'pixels; asks the recogniser',
    'split/jpeg2000.ts readJpeg2000': 'OpenJPEG decodes it, in a process with limits',
    'split/pdf/pdf-text.ts readTextLayer': 'PDFium reads it, in a process with limits of time and memory',
  },
};
