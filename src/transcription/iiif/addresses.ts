/** Addresses of a document in IIIF, all below that of its manifest's directory. */
export interface Addresses {
  manifest: string;
  canvas(page: string): string;
  /** The image service of a page. */
  image(page: string): string;
  /** The text of a page. */
  annotations(page: string): string;
}

/** Routes of these addresses. `:page` is the id of a page, because numbers may shift while sources are being opened. */
export const iiifPaths = {
  manifest: '/transcription/iiif/:document/manifest',
  annotations: '/transcription/iiif/:document/:page/annotations',
  /** Also the service's base address, which must lead to the description. */
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

/** Media types that tell viewers the version of the standard. */
export const iiifTypes = {
  presentation: 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
  image: 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"',
};
