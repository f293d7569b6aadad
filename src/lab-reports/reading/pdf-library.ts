/** What we use of the library, whose own types change between its builds. */
export interface PdfPage {
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
