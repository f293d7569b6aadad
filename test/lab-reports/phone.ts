import { createCanvas, GlobalFonts, type Canvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { MadeLine, MadeReport } from './made.ts';
import { NOTO, NOTO_BOLD } from './table.ts';

/** How a portal shows results on a telephone. */
export interface Portal {
  /** Pixels for each point of the screen, which is 390 wide. */
  readonly scale: number;
  readonly isDark: boolean;
  /** `cards`: each result in a box, the value large; `rows`: the value at the right, its range below the name. */
  readonly form: 'cards' | 'rows';
  /** One long picture of all that can be scrolled, or as many screens as it takes. */
  readonly isLong: boolean;
}

// prettier-ignore
export const PORTALS: Readonly<Record<string, Portal>> = {
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

interface Colours {
  readonly page: string;
  readonly card: string;
  readonly ink: string;
  readonly pale: string;
  readonly alarm: string;
}

const LIGHT: Colours = {
  page: '#f2f2f7',
  card: '#ffffff',
  ink: '#111111',
  pale: '#6e6e73',
  alarm: '#c62828',
};
const DARK: Colours = {
  page: '#000000',
  card: '#1c1c1e',
  ink: '#f5f5f7',
  pale: '#98989f',
  alarm: '#ff6961',
};

/** The screens on which a report is shown, as PNG files. */
export function screensOf(report: MadeReport, portal: Portal): Buffer[] {
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
  return screens.map((own) => drawn(own, report, portal).toBuffer('image/png'));
}

const TOP = 110;
const FOOT = 50;

interface Pen {
  readonly context: SKRSContext2D;
  readonly colours: Colours;
  write(
    text: string,
    place: {
      x: number;
      y: number;
      size: number;
      isBold?: boolean;
      colour?: keyof Colours;
      isRight?: boolean;
    },
  ): void;
}

interface Piece {
  readonly height: number;
  draw(pen: Pen, y: number): void;
}

function piecesOf({ panels }: MadeReport, { form }: Portal): Piece[] {
  return panels.flatMap(({ title, lines }) => [
    {
      height: 40,
      draw: (pen, y) => pen.write(title, { x: 20, y: y + 28, size: 18, isBold: true }),
    } satisfies Piece,
    ...lines.map((line) => (form === 'cards' ? cardOf(line) : rowOf(line))),
  ]);
}

const rangeOf = ({ range, unit }: MadeLine): string =>
  range === '' ? '' : `Normal range: ${range.replaceAll('\n', ', ')}${unit === '' ? '' : ` ${unit}`}`;

const cardOf = (line: MadeLine): Piece => ({
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

const rowOf = (line: MadeLine): Piece => ({
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

function drawn(
  pieces: readonly Piece[],
  { lab, collected }: MadeReport,
  { scale, isDark, isLong }: Portal,
): Canvas {
  const used = pieces.reduce((sum, { height }) => sum + height, TOP + FOOT);
  const canvas = createCanvas(WIDTH * scale, (isLong ? used : SCREEN) * scale);
  const context = canvas.getContext('2d');
  const colours = isDark ? DARK : LIGHT;
  context.scale(scale, scale);
  context.fillStyle = colours.page;
  context.fillRect(0, 0, WIDTH, canvas.height);
  const pen: Pen = {
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
