/** Addresses of a document in IIIF, all below that of its manifest's directory. */
export interface Addresses {
  manifest: string;
  canvas(page: string): string;
  /** The image service of a page. */
  image(page: string): string;
  /** The text of a page. */
  annotations(page: string): string;
}

/** The paths that `addressesOf` leads to. `:page` is the id of a page: numbers may shift while sources are being opened. */
export const iiifPaths = {
  manifest: '/transcription/iiif/:document/manifest',
  annotations: '/transcription/iiif/:document/:page/annotations',
  /** The plain address of the service, too: the standard wants it to lead to the description. */
  info: ['/transcription/iiif/:document/:page', '/transcription/iiif/:document/:page/info.json'],
  image: '/transcription/iiif/:document/:page/:region/:size/:rotation/:quality',
};

export function addressesOf(url: string, document: string): Addresses {
  const base = `${url}/transcription/iiif/${encodeURIComponent(document)}`;
  const image = (page: string) => `${base}/${encodeURIComponent(page)}`;
  return {
    manifest: `${base}/manifest`,
    image,
    canvas: (page) => `${image(page)}/canvas`,
    annotations: (page) => `${image(page)}/annotations`,
  };
}

/** Media types with which viewers know the version. */
export const iiifTypes = {
  presentation: 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
  image: 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"',
};
