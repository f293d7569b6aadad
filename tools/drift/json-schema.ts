import { z } from 'zod';

/** The parts of JSON Schema that zod writes and the pages show. */
export interface Described {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly additionalProperties?: boolean | Described;
  readonly $defs?: Readonly<Record<string, Described>>;
}

export const describeSchema = (schema: z.ZodType, io: 'input' | 'output'): Described =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Described;

/** The name of a schema that another one points to. */
export const refName = (ref: string): string => ref.replace('#/$defs/', '');
