import pg from 'pg';
import { refusedMessages, runMessages, type Run } from './messages.ts';

/**
 * A prepared statement of the session that goes before a statement: they are answered together, and where one fails,
 * none after it is run. Outside a transaction they are one.
 */
export interface Preface {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Told when it fails; so does the statement. */
  readonly failed?: (() => void) | undefined;
}

export interface StatementText {
  /** Of the prepared statement; none for a text that is sent once. */
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Told when it fails by itself. */
  readonly failed?: (() => void) | undefined;
}

/** The part of the driver's connection that a statement writes to; the types of pg do not show it. */
interface Wire {
  _send(bytes: Buffer): void;
}

/** What the driver makes of the description of an answer's columns. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The driver's own query, as far as we build on it. */
interface DriverQuery {
  name: string | undefined;
  queryMode: string | undefined;
  readonly values: readonly unknown[];
  _result: Columns;
  _accumulateRows: boolean;
  submit(wire: Wire): Error | null;
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: unknown, wire: Wire): void;
}

/** The prepared BEGIN of each connection. */
export const BEGIN_NAME = 'aliquot_begin';

type Answered = (error: Error | null, result: pg.QueryResult) => void;
type QueryClass = new (text: string, values: readonly unknown[], callback: Answered) => DriverQuery;
const Query = pg.Query as unknown as QueryClass;

/** What each connection knows of its prepared statements: the columns they answer, or that they answer none. */
const known = new WeakMap<Wire, Map<string, Columns | 'no rows'>>();

/**
 * A statement as the driver sends it, but for two things. It may have prefaces. And it asks for a description of its
 * columns only the first time on a connection: the server refuses to run a prepared statement whose columns have
 * changed, so what was said once stays true.
 */
class Statement extends Query {
  readonly #prefaces: readonly Preface[];
  readonly #failed: (() => void) | undefined;
  /** How many of the prefaces have been answered. */
  #prefacesDone = 0;
  #learns: Map<string, Columns | 'no rows'> | undefined;
  #unwritable: unknown;

  constructor(text: StatementText, callback: Answered, prefaces: readonly Preface[]) {
    // A configuration object would be copied property by property.
    super(text.text, text.values, callback);
    this.name = text.name;
    if (prefaces.length > 0) this.queryMode = 'extended';
    this.#prefaces = prefaces;
    this.#failed = text.failed;
  }

  get #isInPreface(): boolean {
    return this.#prefacesDone < this.#prefaces.length;
  }

  /** What is known goes out in one piece; the driver has something to ask about the rest. */
  override submit(wire: Wire): Error | null {
    const columns = this.name === undefined ? undefined : this.#columnsOf(wire, this.name);
    if (columns === undefined) return super.submit(wire);
    if (columns !== 'no rows') {
      this._result.fields = columns.fields;
      this._result._parsers = columns._parsers;
      this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject;
      this._accumulateRows = true;
    }
    this.#write(wire, () => runMessages([...this.#prefaces, this.#run], { isLast: true }));
    return null;
  }

  override prepare(wire: Wire): void {
    const written = this.#write(wire, () => {
      // The driver's own failure to write it would leave the transaction in order, to be committed without it.
      runMessages([this.#run], { isLast: true });
      return runMessages(this.#prefaces, { isLast: false });
    });
    if (written) super.prepare(wire);
  }

  get #run(): Run {
    return { name: this.name ?? '', values: this.values };
  }

  /**
   * With a value that cannot be written nothing is run, nor what goes before it: the server fails the transaction, which is
   * begun for that where it would have been, so that what follows does not find itself outside of one.
   */
  #write(wire: Wire, messages: () => Buffer): boolean {
    try {
      wire._send(messages());
      return true;
    } catch (error) {
      this.#unwritable = error;
      wire._send(refusedMessages(this.#prefaces.filter(({ name }) => name === BEGIN_NAME)));
      return false;
    }
  }

  #columnsOf(wire: Wire, name: string): Columns | 'no rows' | undefined {
    let statements = known.get(wire);
    if (!statements) known.set(wire, (statements = new Map()));
    const columns = statements.get(name);
    if (columns === undefined) this.#learns = statements;
    return columns;
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    this.#learn(this._result);
  }

  override handleDataRow(message: unknown): void {
    if (!this.#isInPreface) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isInPreface) {
      this.#prefacesDone += 1;
      return;
    }
    this.#learn('no rows');
    super.handleCommandComplete(message, wire);
  }

  override handleError(error: unknown, wire: Wire): void {
    const failed = this.#isInPreface ? this.#prefaces[this.#prefacesDone]?.failed : this.#failed;
    failed?.();
    super.handleError(this.#unwritable ?? error, wire);
  }

  #learn(columns: Columns | 'no rows'): void {
    if (this.name !== undefined) this.#learns?.set(this.name, columns);
    this.#learns = undefined;
  }
}

/** Whether a connection has prepared a statement and run it. */
export const isPrepared = (client: pg.ClientBase, name: string): boolean => {
  const wire = (client as unknown as { connection?: Wire }).connection;
  return wire !== undefined && known.get(wire)?.has(name) === true;
};

/** Sends a statement behind its prefaces, and answers its result. */
export function sendStatement(
  client: pg.ClientBase,
  text: StatementText,
  prefaces: readonly Preface[] = [],
): Promise<pg.QueryResult> {
  const answered = new Promise<pg.QueryResult>((resolve, reject) => {
    const callback: Answered = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new Statement(text, callback, prefaces) as unknown as pg.Submittable);
  });
  return answered.catch((error: unknown) => {
    // The trace of the driver leads to its socket; this one leads to who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  });
}
