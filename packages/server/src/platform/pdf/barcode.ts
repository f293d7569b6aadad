import { pdfLibraries } from './libraries.ts';

/** A barcode in modules, its smallest unit of width, as a list of dark rectangles. */
export interface BarcodeSymbol {
  readonly width: number;
  readonly height: number;
  readonly bars: readonly BarcodeBar[];
}

interface BarcodeBar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The characters that laboratory scanners read without configuration. */
const SCANNABLE = /^[\x20-\x7e]+$/;

/**
 * A Code 128 barcode of a specimen or requisition number, one module high; undefined for text that cannot be encoded.
 */
export function code128(text: string): BarcodeSymbol | undefined {
  if (!SCANNABLE.test(text)) return undefined;
  const [symbol] = pdfLibraries().barcodes.raw('code128', text);
  if (!symbol || !('sbs' in symbol)) return undefined;
  const dark: BarcodeBar[] = [];
  let x = 0;
  symbol.sbs.forEach((width, index) => {
    if (index % 2 === 0) dark.push({ x, y: 0, width, height: 1 });
    x += width;
  });
  return { width: x, height: 1, bars: dark };
}

/** A Data Matrix code, for labels that are too small for bars. */
export const dataMatrix = (text: string): BarcodeSymbol | undefined => encodeMatrix('datamatrix', text, {});

/** PDF417 rows are three modules high, the minimum of the standard. */
const PDF417_ROW_MODULES = 3;
const PDF417_COLUMNS = 18;

/** A PDF417 barcode with the data of a requisition; undefined for text that does not fit or cannot be encoded. */
export function pdf417(text: string): BarcodeSymbol | undefined {
  const symbol = encodeMatrix('pdf417', text, { columns: PDF417_COLUMNS });
  return (
    symbol && {
      ...symbol,
      height: symbol.height * PDF417_ROW_MODULES,
      bars: symbol.bars.map((bar) => ({
        ...bar,
        y: bar.y * PDF417_ROW_MODULES,
        height: PDF417_ROW_MODULES,
      })),
    }
  );
}

function encodeMatrix(
  kind: 'datamatrix' | 'pdf417',
  text: string,
  options: object,
): BarcodeSymbol | undefined {
  if (!SCANNABLE.test(text)) return undefined;
  const [symbol] = pdfLibraries().barcodes.raw(kind, text, options);
  if (!symbol || !('pixs' in symbol)) return undefined;
  const { pixs, pixx: width, pixy: height } = symbol;
  const dark: BarcodeBar[] = [];
  for (let y = 0; y < height; y += 1) dark.push(...barsOf(pixs.slice(y * width, (y + 1) * width), y));
  return { width, height, bars: dark };
}

/** Adjacent dots of a row form one bar. */
function barsOf(row: readonly number[], y: number): BarcodeBar[] {
  const bars: BarcodeBar[] = [];
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
