import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { UnreadableFile } from './report.ts';

/** Callbacks for the elements of a document. Names are without namespace prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  /** `text` is the trimmed text after the last child element. */
  close(name: string, text: string, line: number): void;
}

/** Elements, comments and DOCTYPEs are buffered as a whole; those of the supported formats are far smaller. */
const ELEMENT_CHARACTERS_MAX = 1024 * 1024;
const DEPTH_MAX = 64;

/**
 * Parses a document of any length in constant memory. Yields after each chunk, so that the caller can process what the
 * handler collected. Custom entities are rejected, never expanded. Throws UnreadableFile with line and column.
 */
export async function* readXml(pieces: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const walk = new XmlReader(handler);
  for await (const piece of pieces) {
    walk.take(piece);
    yield;
  }
  walk.end();
  yield;
}

class XmlReader {
  readonly #parser = new SaxesParser();
  readonly #texts: string[] = [];
  #decoder: TextDecoder | undefined;
  /** The position where the last element began or ended. */
  #position = 0;
  #hasBegun = false;
  /** Lines before the document, which the parser does not count. */
  #linesBefore = 0;

  constructor(handler: XmlHandler) {
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw this.#broken(error.message.replace(/^\d+:\d+: /, ''));
    });
    parser.on('opentag', ({ name, attributes }) => {
      this.#position = parser.position;
      // These formats have no mixed content: text between elements is whitespace, and a long document has a lot of it.
      if (this.#texts.length > 0) this.#texts[this.#texts.length - 1] = '';
      if (this.#texts.push('') > DEPTH_MAX) throw this.#broken(`elements nested deeper than ${DEPTH_MAX}`);
      handler.open(localName(name), attributes, this.#line);
    });
    parser.on('closetag', ({ name }) => {
      this.#position = parser.position;
      handler.close(localName(name), (this.#texts.pop() ?? '').trim(), this.#line);
    });
    const text = (some: string) => {
      const last = this.#texts.length - 1;
      if (last >= 0) this.#texts[last] += some;
    };
    parser.on('text', text);
    parser.on('cdata', text);
  }

  take(piece: Buffer): void {
    this.#decoder ??= createDecoder(piece);
    this.#parser.write(this.#withoutBlanksBefore(this.#decoder.decode(piece, { stream: true })));
    if (this.#parser.position - this.#position > ELEMENT_CHARACTERS_MAX) {
      throw this.#broken(`more than ${ELEMENT_CHARACTERS_MAX} characters without an element`);
    }
  }

  end(): void {
    if (this.#decoder) this.#parser.write(this.#decoder.decode());
    this.#parser.close();
  }

  /** Some exports begin with blanks, which XML does not allow before the declaration. */
  #withoutBlanksBefore(text: string): string {
    if (this.#hasBegun) return text;
    const rest = text.trimStart();
    this.#hasBegun = rest !== '';
    this.#linesBefore += text.slice(0, text.length - rest.length).split('\n').length - 1;
    return rest;
  }

  get #line(): number {
    return this.#parser.line + this.#linesBefore;
  }

  #broken(reason: string): UnreadableFile {
    return new UnreadableFile(
      `not readable as XML: ${reason}`,
      `line ${this.#line}, column ${this.#parser.column}`,
    );
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function createDecoder(head: Buffer): TextDecoder {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  const start = Math.max(
    0,
    head.findIndex((byte) => !BLANK_BYTES.has(byte)),
  );
  const declaration = head.toString('latin1', start, start + DECLARATION_BYTES);
  return createNamedDecoder(DECLARED_ENCODING.exec(declaration)?.[1] ?? 'utf-8');
}

const DECLARATION_BYTES = 200;
/** White space, and a byte order mark in UTF-8. */
const BLANK_BYTES = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const DECLARED_ENCODING = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;

function createNamedDecoder(name: string): TextDecoder {
  try {
    const decoder = new TextDecoder(name);
    // The declaration was readable as single bytes, so the document cannot be UTF-16.
    return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder;
  } catch {
    throw new UnreadableFile(`not readable as XML: unknown encoding ${name}`, 'line 1');
  }
}

/** The name of the root element, from the head of a document; undefined if it is not XML. */
export function findRootName(head: Buffer): string | undefined {
  const text = createDecoder(head).decode(head).trimStart();
  if (!text.startsWith('<')) return undefined;
  let root: string | undefined;
  const parser = new SaxesParser();
  // The head may be broken or truncated; reading the whole document reports errors.
  parser.on('error', () => {});
  parser.on('opentagstart', ({ name }) => {
    root ??= localName(name);
  });
  parser.write(text);
  return root;
}
