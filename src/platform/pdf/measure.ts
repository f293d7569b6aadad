import { libraries } from './libraries.ts';
import { faceOf, fontFile, type Face, type Weight } from './fonts.ts';

export interface TextStyle {
  /** Points. */
  readonly size: number;
  readonly weight: Weight;
}

/** Widths are measured at this size and scaled. */
const UNIT = 1000;

let ruler: PDFKit.PDFDocument | undefined;
const advances = new Map<Face, Map<string, number>>();

/** How far a character moves the pen, in thousandths of the font size. Only single characters are kept. */
function advanceOf(character: string, weight: Weight): number {
  const face = faceOf(character, weight);
  let known = advances.get(face);
  if (!known) advances.set(face, (known = new Map()));
  let advance = known.get(character);
  if (advance === undefined) known.set(character, (advance = measured(face, character)));
  return advance;
}

function measured(face: Face, character: string): number {
  ruler ??= new (libraries().PdfDocument)({ autoFirstPage: false });
  return takeFont(ruler, face).fontSize(UNIT).widthOfString(character);
}

/** Goes on with this font; a document learns to know it by the name of the face. */
export const takeFont = (pen: PDFKit.PDFDocument, face: Face): PDFKit.PDFDocument =>
  pen.registerFont(face, fontFile(face)).font(face);

/** The width of a printable text in points; kerning is not counted, which makes it a hair too wide. */
export function widthOf(text: string, { size, weight }: TextStyle): number {
  let sum = 0;
  for (const character of text) sum += advanceOf(character, weight);
  return (sum * size) / UNIT;
}

/** Cuts a printable text into lines that fit; a word that is too long is cut inside. */
export function wrap(text: string, width: number, style: TextStyle): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width, style));
}

function wrapParagraph(paragraph: string, width: number, style: TextStyle): string[] {
  const space = widthOf(' ', style);
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of paragraph.split(/[ \n]+/).filter((part) => part !== '')) {
    for (const part of cut(word, width, style)) {
      const needed = widthOf(part, style);
      if (line !== '' && used + space + needed <= width) {
        line += ` ${part}`;
        used += space + needed;
        continue;
      }
      if (line !== '') lines.push(line);
      line = part;
      used = needed;
    }
  }
  return [...lines, line];
}

/** A word in pieces that fit into a line each; a hyphen or a slash is a good place to cut. */
function cut(word: string, width: number, style: TextStyle): string[] {
  if (widthOf(word, style) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const part of word.split(/(?<=[-/_@,;|])/)) {
    for (const step of widthOf(part, style) <= width ? [part] : Array.from(part)) {
      if (piece !== '' && widthOf(piece + step, style) > width) {
        pieces.push(piece);
        piece = '';
      }
      piece += step;
    }
  }
  return [...pieces, piece];
}
