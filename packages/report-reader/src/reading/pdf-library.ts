/** The part of pdf.js that we use; its own types change between builds. */
export interface PdfjsTextPage {
  readonly rotate: number;
  getViewport(options: { scale: number; rotation?: number }): {
    width: number;
    height: number;
    transform: number[];
  };
  getTextContent(
    options?: object,
  ): Promise<{ items: unknown[]; styles: Record<string, { fontFamily?: string }> }>;
  getAnnotations(options?: object): Promise<unknown[]>;
  getOperatorList(): Promise<{ fnArray: number[]; argsArray: unknown[] }>;
  cleanup(): boolean;
}
