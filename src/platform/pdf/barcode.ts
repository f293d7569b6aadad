import { libraries } from './libraries.ts';

/** A barcode in modules, the smallest width it knows: where it is dark. */
export interface Symbol2d {
  readonly width: number;
  readonly height: number;
  readonly dark: readonly Dark[];
}

export interface Dark {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What scanners of laboratories read without being set up for it. */
const SCANNABLE = /^[\x20-\x7e]+$/;

/** The bars of a specimen or requisition number, one module high; undefined for what cannot be a barcode. */
export function code128(text: string): Symbol2d | undefined {
  if (!SCANNABLE.test(text)) return undefined;
  const [symbol] = libraries().barcodes.raw('code128', text);
  if (!symbol || !('sbs' in symbol)) return undefined;
  const dark: Dark[] = [];
  let x = 0;
  symbol.sbs.forEach((width, index) => {
    if (index % 2 === 0) dark.push({ x, y: 0, width, height: 1 });
    x += width;
  });
  return { width: x, height: 1, dark };
}

/** A square of dots, for labels on which bars do not fit. */
export const dataMatrix = (text: string): Symbol2d | undefined => dots('datamatrix', text, {});

/** The rows of a PDF417 are three modules high, as its standard asks for at least. */
const PDF417_ROW_MODULES = 3;
const PDF417_COLUMNS = 18;

/** Stacked bars with room for the facts of a requisition; undefined for what does not fit or cannot be one. */
export function pdf417(text: string): Symbol2d | undefined {
  const symbol = dots('pdf417', text, { columns: PDF417_COLUMNS });
  return (
    symbol && {
      ...symbol,
      height: symbol.height * PDF417_ROW_MODULES,
      dark: symbol.dark.map((bar) => ({
        ...bar,
        y: bar.y * PDF417_ROW_MODULES,
        height: PDF417_ROW_MODULES,
      })),
    }
  );
}

function dots(kind: 'datamatrix' | 'pdf417', text: string, options: object): Symbol2d | undefined {
  if (!SCANNABLE.test(text)) return undefined;
  const [symbol] = libraries().barcodes.raw(kind, text, options);
  if (!symbol || !('pixs' in symbol)) return undefined;
  const { pixs, pixx: width, pixy: height } = symbol;
  const dark: Dark[] = [];
  for (let y = 0; y < height; y += 1) dark.push(...barsOf(pixs.slice(y * width, (y + 1) * width), y));
  return { width, height, dark };
}

/** Neighbouring dots of a row are one bar. */
function barsOf(row: readonly number[], y: number): Dark[] {
  const bars: Dark[] = [];
  let start = -1;
  for (let x = 0; x <= row.length; x += 1) {
    const isDark = row[x] === 1;
    if (isDark && start < 0) start = x;
    if (isDark || start < 0) continue;
    bars.push({ x: start, y, width: x - start, height: 1 });
    start = -1;
  }
  return bars;
}
