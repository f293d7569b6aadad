import pg from 'pg';
import { encodeRefusal, encodeExecutions, type PreparedExecution } from './messages.ts';

/**
 * A prepared statement that is pipelined before another statement. If one fails, none after it runs. Outside a
 * transaction they form one implicit transaction.
 */
export interface LeadingStatement extends PreparedExecution {
  /** Called when it fails; the statement then fails too. */
  readonly failed?: (() => void) | undefined;
}

interface StatementText {
  /** Name of the prepared statement; none for a text that is sent once. */
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Called when the statement itself fails. */
  readonly failed?: (() => void) | undefined;
}

/** The part of the driver's connection that a statement writes to; the types of pg lack it. */
interface DriverWire {
  _send(bytes: Buffer): void;
}

/** The driver's result column metadata. */
interface ResultColumns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The part of the driver's query class that we build on. */
interface DriverQuery {
  name: string | undefined;
  queryMode: string | undefined;
  readonly values: readonly unknown[];
  _result: ResultColumns;
  _accumulateRows: boolean;
  submit(wire: DriverWire): Error | null;
  prepare(wire: DriverWire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: DriverWire): void;
  handleError(error: unknown, wire: DriverWire): void;
}

/** Name of the prepared BEGIN of each connection. */
export const BEGIN_NAME = 'aliquot_begin';

type QueryCallback = (error: Error | null, result: pg.QueryResult) => void;
type QueryClass = new (text: string, values: readonly unknown[], callback: QueryCallback) => DriverQuery;
const Query = pg.Query as unknown as QueryClass;

/** The result columns of each connection's prepared statements, or that they return none. */
const knownColumns = new WeakMap<DriverWire, Map<string, ResultColumns | 'no rows'>>();

/**
 * A driver query with two changes. It can have leading statements. And it requests the description of its columns only
 * once per connection: the server refuses to run a prepared statement whose columns have changed, so the first
 * description stays valid.
 */
class PipelinedStatement extends Query {
  readonly #prefaces: readonly LeadingStatement[];
  readonly #failed: (() => void) | undefined;
  /** Number of leading statements that have completed. */
  #prefacesDone = 0;
  #learns: Map<string, ResultColumns | 'no rows'> | undefined;
  #unwritable: unknown;

  constructor(text: StatementText, callback: QueryCallback, prefaces: readonly LeadingStatement[]) {
    // Positional arguments, because the driver copies a configuration object property by property.
    super(text.text, text.values, callback);
    this.name = text.name;
    if (prefaces.length > 0) this.queryMode = 'extended';
    this.#prefaces = prefaces;
    this.#failed = text.failed;
  }

  get #isInPreface(): boolean {
    return this.#prefacesDone < this.#prefaces.length;
  }

  /** A known statement is sent as one buffer; otherwise the driver must first prepare and describe it. */
  override submit(wire: DriverWire): Error | null {
    const columns = this.name === undefined ? undefined : this.#columnsOf(wire, this.name);
    if (columns === undefined) return super.submit(wire);
    if (columns !== 'no rows') {
      this._result.fields = columns.fields;
      this._result._parsers = columns._parsers;
      this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject;
      this._accumulateRows = true;
    }
    this.#write(wire, () => encodeExecutions([...this.#prefaces, this.#run], { isLast: true }));
    return null;
  }

  override prepare(wire: DriverWire): void {
    const written = this.#write(wire, () => {
      // Checked first: if the driver failed to encode it later, the transaction would stay intact and be committed
      // without it.
      encodeExecutions([this.#run], { isLast: true });
      return encodeExecutions(this.#prefaces, { isLast: false });
    });
    if (written) super.prepare(wire);
  }

  get #run(): PreparedExecution {
    return { name: this.name ?? '', values: this.values };
  }

  /**
   * If a value cannot be encoded, neither the statement nor its leading statements run: the server fails the
   * transaction. BEGIN is still sent where it was due, so that the following statements are not outside a transaction.
   */
  #write(wire: DriverWire, messages: () => Buffer): boolean {
    try {
      wire._send(messages());
      return true;
    } catch (error) {
      this.#unwritable = error;
      wire._send(encodeRefusal(this.#prefaces.filter(({ name }) => name === BEGIN_NAME)));
      return false;
    }
  }

  #columnsOf(wire: DriverWire, name: string): ResultColumns | 'no rows' | undefined {
    let statements = knownColumns.get(wire);
    if (!statements) knownColumns.set(wire, (statements = new Map()));
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

  override handleCommandComplete(message: unknown, wire: DriverWire): void {
    if (this.#isInPreface) {
      this.#prefacesDone += 1;
      return;
    }
    this.#learn('no rows');
    super.handleCommandComplete(message, wire);
  }

  override handleError(error: unknown, wire: DriverWire): void {
    const failed = this.#isInPreface ? this.#prefaces[this.#prefacesDone]?.failed : this.#failed;
    failed?.();
    super.handleError(this.#unwritable ?? error, wire);
  }

  #learn(columns: ResultColumns | 'no rows'): void {
    if (this.name !== undefined) this.#learns?.set(this.name, columns);
    this.#learns = undefined;
  }
}

/** Whether a connection has prepared and run a statement. */
export const isPrepared = (client: pg.ClientBase, name: string): boolean => {
  const wire = (client as unknown as { connection?: DriverWire }).connection;
  return wire !== undefined && knownColumns.get(wire)?.has(name) === true;
};

/** Sends a statement after its leading statements, and returns its result. */
export function sendStatement(
  client: pg.ClientBase,
  text: StatementText,
  prefaces: readonly LeadingStatement[] = [],
): Promise<pg.QueryResult> {
  const answered = new Promise<pg.QueryResult>((resolve, reject) => {
    const callback: QueryCallback = (error, result) => (error ? reject(error) : resolve(result));
    client.query(new PipelinedStatement(text, callback, prefaces) as unknown as pg.Submittable);
  });
  return answered.catch((error: unknown) => {
    // The driver's stack trace ends at its socket; this one shows the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  });
}
