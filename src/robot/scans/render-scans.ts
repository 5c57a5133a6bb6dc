/** Only this many pages of a file are rendered. */
const mostPages = 200;
const mostBytes = 64_000_000;
/** 300 dots per inch suit recognisers; a PDF measures in 72ths of an inch. */
const scale = 300 / 72;
const mostPixels = 25_000_000;

/** Renders the pages of a PDF as images. Call it in a process of its own. */
export async function renderScans(bytes: Uint8Array): Promise<Uint8Array[]> {
  const [{ PDFiumLibrary }, { default: sharp }] = await Promise.all([
    import('@hyzyla/pdfium'),
    import('sharp'),
  ]);
  const library = await PDFiumLibrary.init();
  const images: Uint8Array[] = [];
  let size = 0;
  try {
    const document = await library.loadDocument(bytes);
    const pages = Math.min(mostPages, document.getPageCount());
    for (let number = 0; number < pages && size < mostBytes; number++) {
      const page = document.getPage(number);
      const { originalWidth, originalHeight } = page.getOriginalSize();
      const pixels = originalWidth * originalHeight * scale * scale;
      const fitting = scale * Math.min(1, Math.sqrt(mostPixels / Math.max(1, pixels)));
      const rendered = await page.render({
        scale: fitting,
        colorSpace: 'Gray',
        render: async ({ data, width, height }) =>
          sharp(data, { raw: { width, height, channels: 1 } })
            .toColourspace('b-w')
            .jpeg({ quality: 90 })
            .toBuffer(),
      });
      images.push(rendered.data);
      size += rendered.data.length;
    }
    document.destroy();
  } finally {
    library.destroy();
  }
  return images;
}
