/** The tables of this house. */
export interface TranscriptionTables {
  transcription_document: {
    id: string;
    owner: string;
    /** Whose quota and turn it uses: `key:ID` or `user:NAME`. */
    subject: string;
    name: string;
    /** open | waiting | running | done | partly | failed | cancelled */
    state: string;
    priority: number;
    pipeline: string;
    language: string;
    formatsJson: string;
    /** 1: recognise even if the same bytes were recognised before. */
    again: number;
    /** 1 or 0: use the text layer of a PDF, or not; null: as the stage is configured. */
    textLayer: number | null;
    /** The URL to post to when the document is finished. */
    webhook: string | null;
    /** How many times it was resumed; requests from before the last time stay cancelled. */
    resumed: number;
    createdAt: number;
    submittedAt: number | null;
    endedAt: number | null;
    /** The name as lists sort and match it: `foldedName`. */
    nameKey: string;
    /** For lists; while the document is being read, up to some seconds old: document-figures.ts. */
    pageCount: number;
    /** Pages that search doesn't find, because they have no text or none yet. */
    withoutText: number;
    /** Mean over the words of all pages; -1 if unknown, because databases sort null differently. */
    meanConfidence: number;
  };
  transcription_source: {
    id: string;
    document: string;
    /** Order within the document. */
    position: number;
    name: string;
    hash: string;
    size: number;
    /** new | waiting | done | failed | cancelled */
    state: string;
    error: string | null;
    /** The uuid of the request that splits it. A result with another uuid is late and is dropped. */
    request: string | null;
    log: string;
  };
  transcription_page: {
    id: string;
    document: string;
    source: string;
    /** Order within the document: by source, then by page within the source. */
    position: number;
    name: string;
    /** Within its source, counted from 1; null when the source is a single image. */
    part: number | null;
    /** waiting | done | failed | cancelled */
    state: string;
    hash: string | null;
    size: number;
    /** A page.json that came with the source (text layer of a PDF). */
    textHash: string | null;
    textSize: number;
    error: string | null;
    log: string;
    request: string | null;
    /** How many times it was sent. */
    generation: number;
    /** Pages with the same key give the same result: it covers bytes, stages with versions, and the order. */
    reuseKey: string | null;
    /** doubtful | no-text; null if neither, or not read yet. Only for pages that are done. */
    quality: string | null;
    /** The mean over its words, from 0 to 1; null if the recogniser gave none. */
    confidence: number | null;
    words: number | null;
    /** Number of lines that look like text but were not read; null if not checked. */
    unreadLines: number | null;
    /** Of the recognised text, as ordered or guessed. */
    language: string | null;
    /** Of the page's image, in pixels after its EXIF orientation; null in pages from before version 0.2. */
    width: number | null;
    height: number | null;
    /** Null if unknown. */
    dpi: number | null;
    /** 1: the page of the PDF had text already. */
    hasText: number | null;
    /** Words that the recogniser was unsure of; null if it gave no confidence, or not read yet. */
    doubtfulWords: number | null;
    /** Its most frequent keywords: `[word, count]`. */
    keywordsJson: string | null;
    /** A small image and one for the screen, as JPEG; null until made. */
    thumbnailHash: string | null;
    thumbnailSize: number | null;
    viewHash: string | null;
    viewSize: number | null;
    createdAt: number;
    endedAt: number | null;
  };
  /** Numbers of pages, up to the position of the document in `transcription_numbering`; see page-numbers.ts. */
  transcription_pageNumber: { document: string; number: number; page: string };
  transcription_numbering: { document: string; numberedTo: number };
  transcription_pageFile: { page: string; name: string; hash: string; size: number };
  /** The searchable text; the index itself depends on the dialect. */
  transcription_pageText: { id: number; page: string; document: string; owner: string; text: string };
  /** The most frequent keywords of a document that was read; `key` is the folded word. */
  transcription_keyword: {
    document: string;
    key: string;
    owner: string;
    word: string;
    count: number;
    /** Pages of the document that have it among their keywords. */
    pages: number;
  };
  transcription_usage: { subject: string; owner: string; month: string; pages: number; bytes: number };
  transcription_quota: {
    subject: string;
    pagesPerMonth: number | null;
    pagesWaiting: number | null;
    storageMb: number | null;
  };
}
