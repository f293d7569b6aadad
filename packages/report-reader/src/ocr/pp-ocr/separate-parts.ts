import { type GrayImage, WHITE, resize } from '../image.ts';
import { type StripArea, detectArrow } from './arrows.ts';
import { type StripInk, measureInk, inkRowsWithin } from './ink.ts';
import { STRIP_HEIGHT } from './recognize.ts';

/** A strip, and the parts that were removed from it because they would be misread. */
interface SeparatedStrip {
  readonly main: GrayImage;
  readonly apart: readonly SeparatedPart[];
}

/** A superscript, such as a footnote mark after a name, or an arrow. */
interface SeparatedPart extends StripArea {
  readonly arrow: string | undefined;
  readonly image: GrayImage;
}

/** A superscript with this gap before it is not an exponent. */
const APART = 4;
const LEAST_WIDTH = 4;

/** Separates arrows and superscripts from a strip; otherwise they would be read as part of the words next to them. */
export function separateParts(strip: GrayImage): SeparatedStrip {
  const ink = measureInk(strip);
  const pieces = findInkRuns(ink);
  const areas = pieces.map((piece) => ({ ...piece, ...inkRowsWithin(strip, ink, piece) }));
  const raised = areas.map((area, index) => index > 0 && isRaised(ink, area));
  const apart = areas.flatMap((area, index) => {
    const arrow = detectArrow(strip, ink.level, area);
    const isApart = arrow !== undefined || (raised[index] && isAtEnd(areas, raised, index));
    return isApart ? [{ ...area, arrow, image: enlargeArea(strip, area) }] : [];
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

/** An exponent is followed closely by its unit; a footnote mark at the end of a name is not. */
const AT_END = 14;

function isAtEnd(areas: readonly StripArea[], raised: readonly boolean[], index: number): boolean {
  let last = index;
  while (raised[last + 1]) last += 1;
  const [area, next] = [areas[last], areas[last + 1]];
  return !area || !next || next.left - area.right >= AT_END;
}

function isRaised(ink: StripInk, { left, right, top, bottom }: StripArea): boolean {
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

/** The runs of ink between gaps that are wider than those between letters. */
function findInkRuns({ bare }: StripInk): { left: number; right: number }[] {
  const found: { left: number; right: number }[] = [];
  for (let x = 0; x < bare.length; x += 1) {
    if (bare[x] === 1) continue;
    const last = found.at(-1);
    if (last && x - last.right <= APART) last.right = x + 1;
    else found.push({ left: x, right: x + 1 });
  }
  return found;
}

/** Cuts out an area with a margin of paper, scaled to the input height of the network. */
export function enlargeArea(strip: GrayImage, { left, right, top, bottom }: StripArea): GrayImage {
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
