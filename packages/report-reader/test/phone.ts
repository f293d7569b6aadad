import { createCanvas, GlobalFonts, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { GeneratedLine, GeneratedReport } from './generated-report.ts';
import { NOTO, NOTO_BOLD } from './table.ts';

/** How a patient portal shows results on a phone. */
interface PortalStyle {
  /** Pixels per point of the screen, which is 390 points wide. */
  readonly scale: number;
  readonly isDark: boolean;
  /** `cards`: each result in a box with a large value. `rows`: value at the right, range below the name. */
  readonly form: 'cards' | 'rows';
  /** One long image of the whole page, instead of one image per screen. */
  readonly isLong: boolean;
}

// prettier-ignore
export const PORTALS: Readonly<Record<string, PortalStyle>> = {
  phoneCards:     { scale: 3, isDark: false, form: 'cards', isLong: false },
  phoneCardsDark: { scale: 3, isDark: true,  form: 'cards', isLong: false },
  phoneRows:      { scale: 2, isDark: false, form: 'rows',  isLong: false },
  phoneRowsDark:  { scale: 3, isDark: true,  form: 'rows',  isLong: false },
  phoneLong:      { scale: 2, isDark: false, form: 'rows',  isLong: true },
  phoneLongDark:  { scale: 3, isDark: true,  form: 'cards', isLong: true },
};

const WIDTH = 390;
const SCREEN = 844;
const FONT = 'Aliquot Phone';
const FLAGS = { H: 'High', L: 'Low', A: 'Abnormal' } as const;

interface PortalColors {
  readonly page: string;
  readonly card: string;
  readonly ink: string;
  readonly pale: string;
  readonly alarm: string;
}

const LIGHT: PortalColors = {
  page: '#f2f2f7',
  card: '#ffffff',
  ink: '#111111',
  pale: '#6e6e73',
  alarm: '#c62828',
};
const DARK: PortalColors = {
  page: '#000000',
  card: '#1c1c1e',
  ink: '#f5f5f7',
  pale: '#98989f',
  alarm: '#ff6961',
};

/** The screens of a report as PNG images. */
export function drawScreens(report: GeneratedReport, portal: PortalStyle): Buffer[] {
  GlobalFonts.registerFromPath(NOTO, FONT);
  GlobalFonts.registerFromPath(NOTO_BOLD, FONT);
  const pieces = piecesOf(report, portal);
  const screens: (typeof pieces)[] = [[]];
  let used = 0;
  for (const piece of pieces) {
    if (!portal.isLong && used + piece.height > SCREEN - TOP - FOOT) {
      screens.push([]);
      used = 0;
    }
    screens.at(-1)?.push(piece);
    used += piece.height;
  }
  return screens.map((own) => drawScreen(own, report, portal).toBuffer('image/png'));
}

const TOP = 110;
const FOOT = 50;

interface PortalPen {
  readonly context: SKRSContext2D;
  readonly colours: PortalColors;
  write(
    text: string,
    place: {
      x: number;
      y: number;
      size: number;
      isBold?: boolean;
      colour?: keyof PortalColors;
      isRight?: boolean;
    },
  ): void;
}

interface PortalPiece {
  readonly height: number;
  draw(pen: PortalPen, y: number): void;
}

function piecesOf({ panels }: GeneratedReport, { form }: PortalStyle): PortalPiece[] {
  return panels.flatMap(({ title, lines }) => [
    {
      height: 40,
      draw: (pen, y) => pen.write(title, { x: 20, y: y + 28, size: 18, isBold: true }),
    } satisfies PortalPiece,
    ...lines.map((line) => (form === 'cards' ? cardOf(line) : rowOf(line))),
  ]);
}

const rangeOf = ({ range, unit }: GeneratedLine): string =>
  range === '' ? '' : `Normal range: ${range.replaceAll('\n', ', ')}${unit === '' ? '' : ` ${unit}`}`;

const cardOf = (line: GeneratedLine): PortalPiece => ({
  height: 110,
  draw: ({ context, colours, write }, y) => {
    context.fillStyle = colours.card;
    context.beginPath();
    context.roundRect(12, y, WIDTH - 24, 100, 12);
    context.fill();
    write(line.name, { x: 26, y: y + 28, size: 16, isBold: true });
    write(rangeOf(line), { x: 26, y: y + 50, size: 13, colour: 'pale' });
    write('Value', { x: 26, y: y + 68, size: 11, colour: 'pale' });
    write(`${line.value} ${line.unit}`.trim(), { x: 26, y: y + 90, size: 18, isBold: true });
    if (line.flag)
      write(FLAGS[line.flag], { x: WIDTH - 26, y: y + 90, size: 14, colour: 'alarm', isRight: true });
  },
});

const rowOf = (line: GeneratedLine): PortalPiece => ({
  height: 58,
  draw: ({ context, colours, write }, y) => {
    context.fillStyle = colours.card;
    context.fillRect(0, y, WIDTH, 57);
    write(line.name, { x: 16, y: y + 24, size: 15 });
    write(rangeOf(line), { x: 16, y: y + 44, size: 11, colour: 'pale' });
    const colour = line.flag ? 'alarm' : 'ink';
    write(`${line.value} ${line.unit}`.trim(), {
      x: WIDTH - 16,
      y: y + 24,
      size: 15,
      isBold: true,
      colour,
      isRight: true,
    });
    if (line.flag) write(FLAGS[line.flag], { x: WIDTH - 16, y: y + 44, size: 11, colour, isRight: true });
  },
});

function drawScreen(
  pieces: readonly PortalPiece[],
  { lab, collected }: GeneratedReport,
  { scale, isDark, isLong }: PortalStyle,
): Canvas {
  const used = pieces.reduce((sum, { height }) => sum + height, TOP + FOOT);
  const canvas = createCanvas(WIDTH * scale, (isLong ? used : SCREEN) * scale);
  const context = canvas.getContext('2d');
  const colours = isDark ? DARK : LIGHT;
  context.scale(scale, scale);
  context.fillStyle = colours.page;
  context.fillRect(0, 0, WIDTH, canvas.height);
  const pen: PortalPen = {
    context,
    colours,
    write: (text, { x, y, size, isBold = false, colour = 'ink', isRight = false }) => {
      context.font = `${isBold ? 'bold ' : ''}${size}px ${FONT}`;
      context.fillStyle = colours[colour];
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText(text, x, y);
    },
  };
  pen.write('9:41', { x: 30, y: 24, size: 15, isBold: true });
  pen.write('82%', { x: WIDTH - 30, y: 24, size: 13, isRight: true });
  pen.write('Test results', { x: 16, y: 64, size: 22, isBold: true });
  pen.write(`${lab}, ${collected}`, { x: 16, y: 88, size: 13, colour: 'pale' });
  let y = TOP;
  for (const piece of pieces) {
    piece.draw(pen, y);
    y += piece.height;
  }
  return canvas;
}
