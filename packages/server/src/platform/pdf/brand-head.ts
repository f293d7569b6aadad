import type { DocumentBlock, DocumentBrand } from './block.ts';
import { toPrintable } from './fonts.ts';
import { COLOR, type DrawingMark } from './marks.ts';
import { wrapText } from './measure.ts';
import type { LayoutStrip } from './strip.ts';

const LOGO = { width: 150, height: 30 };
const NAME_SIZE = 13;
const NAME_HEIGHT = 18;
const BETWEEN = 10;
const BAR = 3;

/** The logo and the name above a bar in the main color. The name is in black if the color is too light for text. */
export function brandStrip({ name, color, isTextColor, logo }: DocumentBrand, width: number): LayoutStrip {
  const marks: DrawingMark[] = [];
  let [x, height] = [0, NAME_HEIGHT];
  if (logo) {
    // Never enlarged: a pixel is at most as large as on a screen.
    const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height, 0.75);
    const size = { width: logo.width * scale, height: logo.height * scale };
    height = Math.max(height, size.height);
    marks.push({ kind: 'image', x, y: (height - size.height) / 2, ...size, bytes: logo.bytes });
    x += size.width + BETWEEN;
  }
  const style = { size: NAME_SIZE, weight: 'bold', color: isTextColor ? color : COLOR.ink } as const;
  const [text = ''] = wrapText(toPrintable(name), width - x, style);
  if (text !== '') {
    const element = { role: 'P' } as const;
    marks.push({ kind: 'text', x, y: height / 2 + NAME_SIZE * 0.35, text, ...style, element });
  }
  marks.push({ kind: 'box', x: 0, y: height + 5, width, height: BAR, fill: color });
  return { height: height + 5 + BAR, marks };
}

/** The same blocks with headings in the main color where it can be read on white, and lines below them in any case. */
export const inBrandColor = (blocks: readonly DocumentBlock[], brand: DocumentBrand): DocumentBlock[] =>
  blocks.map((block) => {
    if (block.kind === 'columns') {
      return { ...block, parts: block.parts.map((part) => inBrandColor(part, brand)) };
    }
    if (block.kind !== 'heading') return block;
    return { ...block, ruleColor: brand.color, ...(brand.isTextColor ? { color: brand.color } : {}) };
  });
