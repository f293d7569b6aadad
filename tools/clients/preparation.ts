import type { Json } from './sdk.ts';
import type { World } from './world.ts';

/** What one call needs beyond the values of its example. Names are those of the interface. */
export interface Preparation {
  /** Values of fields that the example has, at any depth. */
  readonly values?: Readonly<Record<string, Json>>;
  /** Fields that the example lacks. */
  readonly added?: Readonly<Record<string, Json>>;
  /** Fields of the example that are left out. */
  readonly without?: readonly string[];
  /** Positional arguments, for an SDK that has some. */
  readonly positional?: readonly Json[];
  /** Headers, by the names that SDKs have for them as arguments. */
  readonly headers?: Readonly<Record<string, Json>>;
}

export type Prepare = (world: World) => Promise<Preparation> | Preparation;
