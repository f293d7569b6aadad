import type { GrayImage } from './image.ts';

/** A rectangle on the picture that was given, in its pixels. */
export interface PixelBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** What stands between two blanks, as an engine saw it. */
export interface SeenWord {
  readonly text: string;
  /** From the top of the tallest letters to the bottom of the lowest. */
  readonly box: PixelBox;
  /** 0 to 1. */
  readonly confidence: number;
  /** Where the letters stand, in pixels from the top. */
  readonly baseline: number;
  /** In pixels. */
  readonly fontSize: number;
}

/** A piece of a line of print: as far as the engine followed it without a wide gap. */
export interface SeenLine {
  readonly words: readonly SeenWord[];
  /** How far it falls to the right for each pixel, where it is long enough to tell. */
  readonly slope?: number;
}

/**
 * What an engine makes of a picture: its lines, or that the picture has to be turned clockwise by so many quarters
 * first.
 */
export type Reading =
  | { readonly kind: 'lines'; readonly lines: readonly SeenLine[] }
  | { readonly kind: 'turn'; readonly quarters: 1 | 2 | 3 };

export type EngineName = 'pp-ocr' | 'tesseract';

/** Something that finds print on a picture of a page and reads it. */
export interface OcrEngine {
  readonly name: EngineName;
  /** `mayTurn` false: take the picture as it is. One call at a time. */
  read(image: GrayImage, options: { mayTurn: boolean }): Promise<Reading>;
  /** Gives back the memory; the next reading takes it again. */
  rest(): Promise<void>;
}
