import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../../platform/config.ts';

/*
 * Protocol between a command and the running service, on a Unix socket: the command sends one line of JSON, and the
 * service answers lines of JSON, the last with `exitCode`, `failed` or `refused`.
 */

export const LocalRequest = z.object({
  /** The version of the command: another one may mean something else by the same input. */
  version: z.string(),
  /** Which database the command means, without naming it. */
  database: z.string(),
  operation: z.string(),
  input: z.unknown(),
  isTerminal: z.boolean(),
  isErrorTerminal: z.boolean(),
});
export type LocalRequest = z.output<typeof LocalRequest>;

export const LocalReply = z.union([
  /** Bytes for standard output, in base64. */
  z.object({ out: z.string() }),
  z.object({ err: z.string() }),
  z.object({ exitCode: z.int() }),
  /** The operation failed with this message. */
  z.object({ failed: z.string() }),
  /** The service does nothing: it is of another version, or uses another database. */
  z.object({ refused: z.string() }),
]);
export type LocalReply = z.output<typeof LocalReply>;

/** Tells the databases of two configurations apart. The embedded database is that of the data folder. */
export const describeDatabase = ({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>): string =>
  createHash('sha256')
    .update(DATABASE_URL ?? 'embedded')
    .digest('hex');
