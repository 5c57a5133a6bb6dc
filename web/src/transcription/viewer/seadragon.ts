import OpenSeadragon from 'openseadragon';
import type { Box } from './reading.ts';
import type { Placement, ShownImage, Surface, SurfaceEvents } from './surface.ts';

const tileSize = 1024;
/** A line of text is read well from this height on. */
const readableHeight = 22;

/** Opens an OpenSeadragon in the element. The stored view is shown at once; tiles of the image are fetched only where it is too coarse. */
export function openSurface(element: HTMLElement, events: SurfaceEvents): Surface {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const viewer = OpenSeadragon({
    element,
    drawer: 'canvas',
    showNavigationControl: false,
    animationTime: still ? 0 : 0.25,
    springStiffness: 9,
    blendTime: 0,
    visibilityRatio: 0.5,
    minZoomImageRatio: 0.5,
    maxZoomPixelRatio: 4,
    zoomPerScroll: 1.25,
    // One process of the server cuts for one person.
    imageLoaderLimit: 2,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
    gestureSettingsTouch: { clickToZoom: false, dblClickToZoom: true },
    tabIndex: -1,
  });
  let image: ShownImage | undefined;
  let detail: OpenSeadragon.TiledImage | undefined;
  let addsDetail = false;
  let waiting: (() => void) | undefined;

  // Keys are the page's.
  viewer.addHandler('canvas-key', (event) => {
    event.preventDefaultAction = true;
  });
  viewer.addHandler('canvas-click', ({ quick, position }) => {
    if (quick) events.onclick(position.x, position.y);
  });
  viewer.addHandler('open-failed', () => events.onfailed());
  viewer.addHandler('open', () => {
    moved();
    waiting?.();
    waiting = undefined;
  });
  for (const name of ['update-viewport', 'resize'] as const) viewer.addHandler(name, moved);

  function placement(): Placement | undefined {
    if (!image || !viewer.isOpen()) return undefined;
    const origin = viewer.viewport.pixelFromPoint(new OpenSeadragon.Point(0, 0), true);
    const end = viewer.viewport.pixelFromPoint(new OpenSeadragon.Point(1, 0), true);
    return { scale: (end.x - origin.x) / image.width, x: origin.x, y: origin.y };
  }

  function moved(): void {
    const place = placement();
    if (!place) return;
    events.onmove(place);
    showDetail(place.scale * devicePixelRatio);
  }

  /** Above the view there is the image itself, in tiles. */
  function showDetail(scale: number): void {
    if (!image) return;
    const viewScale = Math.min(1, image.viewLongest / Math.max(image.width, image.height));
    const wanted = viewScale < 1 && scale > viewScale * 1.1;
    if (detail) {
      if (detail.getOpacity() > 0 !== wanted) detail.setOpacity(wanted ? 1 : 0);
      return;
    }
    if (!wanted || addsDetail) return;
    addsDetail = true;
    const mine = image;
    viewer.addTiledImage({
      tileSource: tilesOf(image, viewScale),
      x: 0,
      y: 0,
      width: 1,
      success: (event) => {
        addsDetail = false;
        const { item } = event as unknown as { item: OpenSeadragon.TiledImage };
        if (image === mine) detail = item;
        else viewer.world.removeItem(item);
      },
      error: () => {
        addsDetail = false;
      },
    });
  }

  /** At once, or when the image is open. */
  function whenOpen(action: () => void): void {
    if (viewer.isOpen()) action();
    else waiting = action;
  }

  const rectOf = ({ left, top, width, height }: Box, of: ShownImage) =>
    new OpenSeadragon.Rect(left / of.width, top / of.width, width / of.width, height / of.width);

  return {
    show(next) {
      image = next;
      detail = undefined;
      addsDetail = false;
      viewer.open({ type: 'image', url: next.view } as unknown as OpenSeadragon.TileSourceSpecifier);
    },
    zoomBy(factor) {
      viewer.viewport.zoomBy(factor);
      viewer.viewport.applyConstraints();
    },
    fit: () => whenOpen(() => viewer.viewport.goHome(still)),
    reveal(box, { height } = {}) {
      whenOpen(() => {
        const place = placement();
        if (!image || !place) return;
        const { viewport } = viewer;
        const rect = rectOf(box, image);
        const large = readableHeight / ((height ?? 0) * place.scale);
        if (height !== undefined && large > 1) viewport.zoomBy(large, rect.getCenter(), still);
        const bounds = viewport.getBounds();
        // A little air around it.
        const air = Math.min(0.08 * bounds.width, rect.width + 0.02);
        const shift = (from: number, to: number, low: number, high: number) =>
          to - from >= high - low ? from - low : from < low ? from - low : to > high ? to - high : 0;
        const by = new OpenSeadragon.Point(
          shift(rect.x - air, rect.x + rect.width + air, bounds.x, bounds.x + bounds.width),
          shift(rect.y - air, rect.y + rect.height + air, bounds.y, bounds.y + bounds.height),
        );
        if (by.x !== 0 || by.y !== 0) viewport.panBy(by, still);
      });
    },
    close: () => viewer.destroy(),
  };
}

/** Tiles in levels that halve: only those finer than the view. */
function tilesOf(image: ShownImage, viewScale: number): OpenSeadragon.TileSourceOptions {
  const maxLevel = Math.ceil(Math.log2(Math.max(image.width, image.height)));
  return {
    width: image.width,
    height: image.height,
    tileSize,
    tileOverlap: 0,
    minLevel: Math.max(0, maxLevel + Math.ceil(Math.log2(viewScale))),
    maxLevel,
    getTileUrl(level: number, x: number, y: number) {
      const scale = 2 ** (level - maxLevel);
      const side = tileSize / scale;
      const left = Math.round(x * side);
      const top = Math.round(y * side);
      const width = Math.min(Math.round(side), image.width - left);
      const height = Math.min(Math.round(side), image.height - top);
      return image.tile({ left, top, width, height }, Math.max(1, Math.min(width, Math.ceil(width * scale))));
    },
  } as unknown as OpenSeadragon.TileSourceOptions;
}
