import type pg from 'pg';

interface Chunk {
  readonly chunk: Buffer;
}
type Done = (error?: Error | null) => void;

/** The part of a socket that we need; the types of pg do not show it. */
interface Socket {
  cork(): void;
  uncork(): void;
  _write(chunk: Buffer, encoding: string, done: Done): void;
  _writev?(chunks: readonly Chunk[], done: Done): void;
}

const socketOf = (client: pg.ClientBase): Socket | undefined =>
  (client as unknown as { connection?: { stream?: Socket } }).connection?.stream;

/**
 * What was gathered goes to the socket as one buffer. A driver's message is a dozen bytes, and a system call with a
 * hundred small pieces costs several times the copy.
 */
export function joinWrites(client: pg.ClientBase): void {
  const socket = socketOf(client);
  if (!socket) return;
  socket._writev = (chunks, done) =>
    socket._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
}

const gathering = new WeakSet<pg.PoolClient>();

/** Behind what others have put off to the next tick: questions that are asked together (together.ts). */
const endOfTurn = (run: () => void): void => process.nextTick(() => process.nextTick(run));

/**
 * Writes the statements of this turn of the event loop to the socket together: a system call for each of them
 * would cost more than most of them do. Without a socket that we know nothing is gathered.
 */
export function gather(client: pg.PoolClient, until: (run: () => void) => unknown = endOfTurn): void {
  if (gathering.has(client)) return;
  const socket = socketOf(client);
  if (!socket) return;
  gathering.add(client);
  socket.cork();
  until(() => {
    gathering.delete(client);
    socket.uncork();
  });
}
