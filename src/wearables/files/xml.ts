import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { UnreadableFile } from './report.ts';

/** What is done with the elements of a document as they come. Names are without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  /** `text` is what stands in the element behind the last element in it, without blanks around it. */
  close(name: string, text: string, line: number): void;
}

/** No element, comment or DOCTYPE of these formats comes near it; one that does would have to be held whole. */
const ELEMENT_CHARACTERS_MAX = 1024 * 1024;
const DEPTH_MAX = 64;

/**
 * Hands over a document of any length, element by element; after each piece of it the turn goes to the caller, who
 * takes out what the handler has gathered. Entities other than those of XML itself are refused: none is ever expanded.
 * Throws with the line and column.
 */
export async function* readXml(pieces: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const walk = new Walk(handler);
  for await (const piece of pieces) {
    walk.take(piece);
    yield;
  }
  walk.end();
  yield;
}

class Walk {
  readonly #parser = new SaxesParser();
  readonly #texts: string[] = [];
  #decoder: TextDecoder | undefined;
  /** Where the last element began or ended. */
  #position = 0;

  constructor(handler: XmlHandler) {
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw this.#broken(error.message.replace(/^\d+:\d+: /, ''));
    });
    parser.on('opentag', ({ name, attributes }) => {
      this.#position = parser.position;
      // Text beside elements means nothing in these formats: blanks, of which a long document has millions.
      if (this.#texts.length > 0) this.#texts[this.#texts.length - 1] = '';
      if (this.#texts.push('') > DEPTH_MAX)
        throw this.#broken(`more than ${DEPTH_MAX} elements in each other`);
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
    this.#decoder ??= decoderOf(piece);
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
    return new UnreadableFile(`not readable as XML: ${reason}`, placeOf(this.#parser));
  }
}

const placeOf = ({ line, column }: { line: number; column: number }) => `line ${line}, column ${column}`;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function decoderOf(head: Buffer): TextDecoder {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  return decoderNamed(DECLARED.exec(head.toString('latin1', 0, DECLARATION_BYTES))?.[1] ?? 'utf-8');
}

const DECLARATION_BYTES = 200;
const DECLARED = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;

function decoderNamed(name: string): TextDecoder {
  try {
    const decoder = new TextDecoder(name);
    // It can be read byte by byte, whatever it calls itself.
    return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder;
  } catch {
    throw new UnreadableFile(`not readable as XML: its encoding ${name} is not known`, 'line 1');
  }
}

/** The name of the first element of a document of which only the head is known; undefined where it is none. */
export function rootOf(head: Buffer): string | undefined {
  const text = decoderOf(head).decode(head);
  if (!text.trimStart().startsWith('<')) return undefined;
  let root: string | undefined;
  const parser = new SaxesParser();
  // Broken or cut off: whoever reads it whole says where.
  parser.on('error', () => {});
  parser.on('opentagstart', ({ name }) => {
    root ??= localName(name);
  });
  parser.write(text);
  return root;
}
