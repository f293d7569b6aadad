import type pg from 'pg';

interface SocketChunk {
  readonly chunk: Buffer;
}
type WriteCallback = (error?: Error | null) => void;

/** The part of a socket that we need; the types of pg lack it. */
interface DriverSocket {
  cork(): void;
  uncork(): void;
  _write(chunk: Buffer, encoding: string, done: WriteCallback): void;
  _writev?(chunks: readonly SocketChunk[], done: WriteCallback): void;
}

const socketOf = (client: pg.ClientBase): DriverSocket | undefined =>
  (client as unknown as { connection?: { stream?: DriverSocket } }).connection?.stream;

/**
 * Writes corked chunks as one buffer. A driver message is a dozen bytes, and a system call with a hundred small pieces
 * costs several times the copy.
 */
export function coalesceWrites(client: pg.ClientBase): void {
  const socket = socketOf(client);
  if (!socket) return;
  socket._writev = (chunks, done) =>
    socket._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
}

const corked = new WeakSet<pg.PoolClient>();

/** Runs after what others have put off to the next tick: batch loaders (batch-loader.ts). */
const endOfTurn = (run: () => void): void => process.nextTick(() => process.nextTick(run));

/**
 * Writes the statements of this turn of the event loop to the socket together: a system call for each would cost more
 * than most statements. Without a known socket nothing is batched.
 */
export function batchWrites(client: pg.PoolClient, until: (run: () => void) => unknown = endOfTurn): void {
  if (corked.has(client)) return;
  const socket = socketOf(client);
  if (!socket) return;
  corked.add(client);
  socket.cork();
  until(() => {
    corked.delete(client);
    socket.uncork();
  });
}
