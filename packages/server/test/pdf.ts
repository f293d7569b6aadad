import { inflateSync } from 'node:zlib';

/** A text on a page, in points from the lower left corner. */
interface PdfText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly pieces: readonly PdfText[];
  /** The texts of each line joined from left to right, lines from top to bottom. */
  readonly lines: readonly string[];
}

/** Reads the text of our own PDFs page by page; supports only what pdfkit writes. */
export function readPdf(bytes: Buffer): PdfPage[] {
  const objects = objectsOf(bytes.toString('latin1'));
  const kids = [...(objects.get(1) ?? '').matchAll(/(\d+) 0 R/g)].map((match) => Number(match[1]));
  return kids.map((id) => {
    const page = objects.get(id) ?? '';
    const [, width = '0', height = '0'] = /MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(page) ?? [];
    const fonts = fontsOf(objects, objects.get(reference(page, 'Resources')) ?? '');
    const pieces = piecesOf(streamOf(objects.get(reference(page, 'Contents')) ?? ''), fonts);
    return { width: Number(width), height: Number(height), pieces, lines: linesOf(pieces) };
  });
}

/** The whole text, one line per line of the document. */
export const pdfText = (bytes: Buffer): string =>
  readPdf(bytes)
    .flatMap(({ lines }) => lines)
    .join('\n');

function objectsOf(file: string): Map<number, string> {
  const found = file.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g);
  return new Map([...found].map((match) => [Number(match[1]), match[2] ?? '']));
}

const reference = (object: string, name: string): number =>
  Number(new RegExp(`/${name} (\\d+) 0 R`).exec(object)?.[1] ?? 0);

function streamOf(object: string): string {
  const [, body] = /stream\n([\s\S]*)\nendstream/.exec(object) ?? [];
  return body === undefined ? '' : inflateSync(Buffer.from(body, 'latin1')).toString('latin1');
}

type Glyphs = ReadonlyMap<number, string>;

/** The characters of each font's glyphs, by the font's name on the page. */
function fontsOf(objects: ReadonlyMap<number, string>, resources: string): ReadonlyMap<string, Glyphs> {
  const named = [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)];
  return new Map(
    named.map(([, name = '', id]) => {
      const map = streamOf(objects.get(reference(objects.get(Number(id)) ?? '', 'ToUnicode')) ?? '');
      return [name, glyphsOf(map)];
    }),
  );
}

function glyphsOf(map: string): Glyphs {
  const glyphs = new Map<number, string>();
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    [...list.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, codes = ''], index) => {
      const units = codes.replaceAll(' ', '').match(/.{4}/g) ?? [];
      const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
      glyphs.set(Number.parseInt(from, 16) + index, text);
    });
  }
  return glyphs;
}

function piecesOf(content: string, fonts: ReadonlyMap<string, Glyphs>): PdfText[] {
  const pieces: PdfText[] = [];
  const blocks = content.matchAll(/BT\n1 0 0 1 ([\d.-]+) ([\d.-]+) Tm\n\/(F\d+) [\d.]+ Tf\n([\s\S]*?)ET/g);
  for (const [, x, y, font = '', shown = ''] of blocks) {
    const glyphs = fonts.get(font);
    const codes = [...shown.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    const text = codes.map((code) => glyphs?.get(Number.parseInt(code, 16)) ?? '\ufffd').join('');
    pieces.push({ x: Number(x), y: Number(y), text });
  }
  return pieces;
}

function linesOf(pieces: readonly PdfText[]): string[] {
  const lines = new Map<number, PdfText[]>();
  for (const piece of pieces) {
    const row = Math.round(piece.y * 2) / 2;
    lines.set(row, [...(lines.get(row) ?? []), piece]);
  }
  return [...lines]
    .sort(([a], [b]) => b - a)
    .map(([, row]) =>
      row
        .sort((a, b) => a.x - b.x)
        .map(({ text }) => text)
        .join(' '),
    );
}
