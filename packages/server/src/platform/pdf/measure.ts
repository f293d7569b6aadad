import { pdfLibraries } from './libraries.ts';
import { faceOf, loadFont, type FontFace, type FontWeight } from './fonts.ts';

export interface FontStyle {
  /** Points. */
  readonly size: number;
  readonly weight: FontWeight;
}

/** Widths are measured at this size and scaled. */
const UNIT = 1000;

let ruler: PDFKit.PDFDocument | undefined;
const advances = new Map<FontFace, Map<string, number>>();

/** The advance width of a character, in thousandths of the font size. Only single characters are cached. */
function advanceOf(character: string, weight: FontWeight): number {
  const face = faceOf(character, weight);
  let known = advances.get(face);
  if (!known) advances.set(face, (known = new Map()));
  let advance = known.get(character);
  if (advance === undefined) known.set(character, (advance = measureCharacter(face, character)));
  return advance;
}

function measureCharacter(face: FontFace, character: string): number {
  ruler ??= new (pdfLibraries().PdfDocument)({ autoFirstPage: false });
  return selectFont(ruler, face).fontSize(UNIT).widthOfString(character);
}

/** Selects a font. It is registered in the document under the name of the face. */
export const selectFont = (pen: PDFKit.PDFDocument, face: FontFace): PDFKit.PDFDocument =>
  pen.registerFont(face, loadFont(face)).font(face);

/** The width of a printable text in points. Kerning is ignored, which makes it slightly too wide. */
export function measureText(text: string, { size, weight }: FontStyle): number {
  let sum = 0;
  for (const character of text) sum += advanceOf(character, weight);
  return (sum * size) / UNIT;
}

/** Wraps a printable text into lines. A word that is too long is broken. */
export function wrapText(text: string, width: number, style: FontStyle): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width, style));
}

function wrapParagraph(paragraph: string, width: number, style: FontStyle): string[] {
  const space = measureText(' ', style);
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of paragraph.split(/[ \n]+/).filter((part) => part !== '')) {
    for (const part of breakWord(word, width, style)) {
      const needed = measureText(part, style);
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

/** Breaks a word into pieces that each fit a line, preferably after a hyphen, slash or similar. */
function breakWord(word: string, width: number, style: FontStyle): string[] {
  if (measureText(word, style) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const part of word.split(/(?<=[-/_@,;|])/)) {
    for (const step of measureText(part, style) <= width ? [part] : Array.from(part)) {
      if (piece !== '' && measureText(piece + step, style) > width) {
        pieces.push(piece);
        piece = '';
      }
      piece += step;
    }
  }
  return [...pieces, piece];
}
