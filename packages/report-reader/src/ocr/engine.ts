import type { GrayImage } from './image.ts';

/** A rectangle on the input image, in pixels. */
interface PixelBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A word as the engine recognized it. */
export interface OcrWord {
  readonly text: string;
  /** From the top of the tallest letters to the bottom of the lowest. */
  readonly box: PixelBox;
  /** 0 to 1. */
  readonly confidence: number;
  /** The baseline of the letters, in pixels from the top. */
  readonly baseline: number;
  /** In pixels. */
  readonly fontSize: number;
}

/** A segment of a text line, without wide gaps. */
export interface OcrTextLine {
  readonly words: readonly OcrWord[];
  /** How far the line falls per pixel to the right; absent if the line is too short to tell. */
  readonly slope?: number;
}

/** The result of an engine: the lines, or the clockwise quarter turns that the image needs first. */
export type OcrEngineResult =
  | { readonly kind: 'lines'; readonly lines: readonly OcrTextLine[] }
  | { readonly kind: 'turn'; readonly quarters: 1 | 2 | 3 };

export type OcrEngineName = 'pp-ocr' | 'tesseract';

/** An OCR engine: finds and reads the text on the image of a page. */
export interface OcrEngine {
  readonly name: OcrEngineName;
  /** With `mayTurn` false, reads the image in its present orientation. One call at a time. */
  read(image: GrayImage, options: { mayTurn: boolean }): Promise<OcrEngineResult>;
  /** Releases the models; the next call loads them again. */
  release(): Promise<void>;
}
