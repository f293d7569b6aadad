import type pg from 'pg';
import type { z } from 'zod';
import type { App } from '../../app.ts';

/** Where an operation prints: the terminal of the command, in whatever process the operation runs. */
export interface OperationOutput {
  readonly isTerminal: boolean;
  readonly isErrorTerminal: boolean;
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** The command ends with this code instead of 0. */
  exitCode(code: number): void;
}

export interface OperationContext {
  readonly app: App;
  /** Connections of the owner of the tables. */
  readonly ownerPool: pg.Pool;
  /** Whether the app is that of a running service, so that other processes may follow. */
  readonly isInService: boolean;
  readonly output: OperationOutput;
}

/** What a command of the operator does. A failure is an Error whose message is shown alone. */
export interface OperatorOperation {
  run(context: OperationContext, input: unknown): Promise<void>;
}

/** An operation whose input is parsed, because it may come through a socket. */
export const defineOperation = <S extends z.ZodType>(
  schema: S,
  run: (context: OperationContext, input: z.output<S>) => Promise<void>,
): OperatorOperation => ({ run: (context, input) => run(context, schema.parse(input)) });
