import type { Box } from './reading.ts';

/** Where the image stands: a place of the image times `scale`, plus `x` and `y`, in pixels of the element. */
export interface Placement {
  scale: number;
  x: number;
  y: number;
}

export interface ShownImage {
  width: number;
  height: number;
  /** The stored image for the screen: enough until somebody zooms in. */
  view: string;
  viewLongest: number;
  /** The address of a part of the image, `width` pixels wide. */
  tile: (part: Box, width: number) => string;
}

export interface SurfaceEvents {
  /** The image stands elsewhere now. */
  onmove: (placement: Placement) => void;
  /** A click that was no drag, in pixels of the element. */
  onclick: (x: number, y: number) => void;
  onfailed: () => void;
}

/** What shows an image that can be moved and enlarged. Pages know only this; `seadragon.ts` is behind it. */
export interface Surface {
  show(image: ShownImage): void;
  zoomBy(factor: number): void;
  /** The whole image. */
  fit(): void;
  /** Moves as little as needed so that the box is seen; with `height`, letters as high as that also become large enough to be read. */
  reveal(box: Box, options?: { height?: number }): void;
  close(): void;
}
