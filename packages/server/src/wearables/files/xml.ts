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
      handler.open(localName(name), attributes, parser.line);
    });
    parser.on('closetag', ({ name }) => {
      this.#position = parser.position;
      handler.close(localName(name), (this.#texts.pop() ?? '').trim(), parser.line);
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
    this.#parser.write(this.#decoder.decode(piece, { stream: true }));
    if (this.#parser.position - this.#position > ELEMENT_CHARACTERS_MAX) {
      throw this.#broken(`more than ${ELEMENT_CHARACTERS_MAX} characters without an element`);
    }
  }

  end(): void {
    if (this.#decoder) this.#parser.write(this.#decoder.decode());
    this.#parser.close();
  }

  #broken(reason: string): UnreadableFile {
    return new UnreadableFile(`not readable as XML: ${reason}`, formatPosition(this.#parser));
  }
}

const formatPosition = ({ line, column }: { line: number; column: number }) =>
  `line ${line}, column ${column}`;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function createDecoder(head: Buffer): TextDecoder {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  return createNamedDecoder(
    DECLARED_ENCODING.exec(head.toString('latin1', 0, DECLARATION_BYTES))?.[1] ?? 'utf-8',
  );
}

const DECLARATION_BYTES = 200;
const DECLARED_ENCODING = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;

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
  const text = createDecoder(head).decode(head);
  if (!text.trimStart().startsWith('<')) return undefined;
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
