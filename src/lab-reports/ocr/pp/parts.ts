import { type GrayImage, WHITE, resize } from '../image.ts';
import { type Area, arrowIn } from './arrows.ts';
import { type Ink, inkOf, rowsWithin } from './ink.ts';
import { STRIP_HEIGHT } from './recognise.ts';

/** A strip without what would be misread in it, and that. */
export interface Parts {
  readonly main: GrayImage;
  readonly apart: readonly Part[];
}

/** Small print above the line, such as a footnote's number behind a name; or an arrow, by its shape. */
export interface Part extends Area {
  readonly arrow: string | undefined;
  readonly image: GrayImage;
}

/** Small print that stands this far from what is before it is no exponent. */
const APART = 4;
const LEAST_WIDTH = 4;

/** Takes arrows and small raised print out of a strip, which else would be read into the words beside them. */
export function partsOf(strip: GrayImage): Parts {
  const ink = inkOf(strip);
  const pieces = inkedStretches(ink);
  const areas = pieces.map((piece) => ({ ...piece, ...rowsWithin(strip, ink, piece) }));
  const raised = areas.map((area, index) => index > 0 && isRaised(ink, area));
  const apart = areas.flatMap((area, index) => {
    const arrow = arrowIn(strip, ink.level, area);
    const isApart = arrow !== undefined || (raised[index] && endsThere(areas, raised, index));
    return isApart ? [{ ...area, arrow, image: enlarged(strip, area) }] : [];
  });
  const isUsual = apart.every(({ arrow }) => arrow) || apart.length <= pieces.length / 2;
  if (apart.length === 0 || !isUsual) return { main: strip, apart: [] };
  const data = strip.data.slice();
  for (const { left, right } of apart) {
    for (let y = 0; y < strip.height; y += 1) {
      const row = y * strip.width;
      data.fill(ink.paper, row + Math.max(0, left - 1), row + Math.min(strip.width, right + 1));
    }
  }
  return { main: { ...strip, data }, apart };
}

/** An exponent has its unit close behind it; what ends a name has not. */
const AT_END = 14;

function endsThere(areas: readonly Area[], raised: readonly boolean[], index: number): boolean {
  let last = index;
  while (raised[last + 1]) last += 1;
  const [area, next] = [areas[last], areas[last + 1]];
  return !area || !next || next.left - area.right >= AT_END;
}

function isRaised(ink: Ink, { left, right, top, bottom }: Area): boolean {
  const height = ink.bottom - ink.top;
  const tall = bottom - top;
  return (
    height >= 12 &&
    bottom < ink.bottom - 0.28 * height &&
    top < ink.top + 0.2 * height &&
    tall > 0.36 * height &&
    right - left < 3 * tall &&
    right - left >= LEAST_WIDTH
  );
}

/** The stretches of ink between gaps that are wider than between letters. */
function inkedStretches({ bare }: Ink): { left: number; right: number }[] {
  const found: { left: number; right: number }[] = [];
  for (let x = 0; x < bare.length; x += 1) {
    if (bare[x] === 1) continue;
    const last = found.at(-1);
    if (last && x - last.right <= APART) last.right = x + 1;
    else found.push({ left: x, right: x + 1 });
  }
  return found;
}

/** An area with some paper about it, as high as the network wants it. */
export function enlarged(strip: GrayImage, { left, right, top, bottom }: Area): GrayImage {
  const tall = bottom - top;
  const margin = Math.max(3, Math.round(tall * 0.25));
  const size = { width: right - left + 2 * margin, height: tall + 2 * margin };
  const data = new Uint8Array(size.width * size.height).fill(WHITE);
  for (let y = 0; y < size.height; y += 1) {
    const from = top - margin + y;
    for (let x = 0; x < size.width; x += 1) {
      const at = Math.min(strip.width - 1, Math.max(0, left - margin + x));
      const isInside = from >= 0 && from < strip.height && x >= margin - 2 && x < size.width - margin + 2;
      data[y * size.width + x] = isInside ? (strip.data[from * strip.width + at] ?? WHITE) : WHITE;
    }
  }
  const width = Math.max(8, Math.round((size.width * STRIP_HEIGHT) / size.height));
  return resize({ ...size, data }, { width, height: STRIP_HEIGHT });
}
