import pg from 'pg';

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

/** The parts of the driver's connection that a statement writes to; the types of pg do not show them. */
interface Wire {
  bind(message: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(message: object): void;
  sync(): void;
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
  requiresPreparation(): boolean;
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: unknown, wire: Wire): void;
}

type Answered = (error: Error | null, result: pg.QueryResult) => void;
type QueryClass = new (text: string, values: readonly unknown[], callback: Answered) => DriverQuery;
const Query = pg.Query as unknown as QueryClass;
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

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

  override prepare(wire: Wire): void {
    if (!this.#writeOrFail(wire, () => this.#writePrefaces(wire))) return;
    const columns = this.name === undefined ? undefined : this.#columnsOf(wire, this.name);
    if (columns === undefined) super.prepare(wire);
    else this.#write(wire, columns);
  }

  #writePrefaces(wire: Wire): void {
    for (const { name, values } of this.#prefaces) {
      wire.bind({ statement: name, values, valueMapper: prepareValue });
      wire.execute({});
    }
  }

  /** A value that cannot be written fails the statement alone. */
  #writeOrFail(wire: Wire, write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      wire.sync();
      this.handleError(error, wire);
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

  #write(wire: Wire, columns: Columns | 'no rows'): void {
    if (columns !== 'no rows') {
      this._result.fields = columns.fields;
      this._result._parsers = columns._parsers;
      this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject;
      this._accumulateRows = true;
    }
    const bind = { statement: this.name ?? '', values: this.values, valueMapper: prepareValue };
    if (!this.#writeOrFail(wire, () => wire.bind(bind))) return;
    wire.execute({});
    wire.sync();
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
    super.handleError(error, wire);
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
