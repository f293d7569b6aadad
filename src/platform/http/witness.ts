import { DomainError, statusOf } from '../errors.ts';
import type { Work } from '../work.ts';
import type { Tenant } from '../tenant.ts';
import type { Answers, Method, RouteSchema, Scope, TeamPrincipal } from './route.ts';
import type { z } from 'zod';

type Optional = z.ZodType | undefined;

/** A route, as far as it matters whether its accesses are written down. */
export interface Watched {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  readonly schema: RouteSchema<Optional, Optional, Optional, Answers>;
}

/** Where a request came from. */
export interface From {
  readonly address: string;
  readonly requestId: string;
}

/** Who had access to a tenant's data. */
export interface Accessor {
  readonly tenant: Tenant;
  readonly keyId: string;
  /** A key of the team where nothing is said. */
  readonly kind?: TeamPrincipal['kind'] | 'management_key';
}

/** One access to the data of a tenant. */
export interface Access extends From {
  readonly principal: Accessor;
  readonly operation: string;
  readonly method: Method;
  /** What was asked for; only ids of it are written down. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
}

/** Writes down who saw or changed what. */
export interface Witness {
  watches(route: Watched): boolean;
  /** Writes down a change in the transaction of the change. */
  write(work: Work, access: Access, status: number): void;
  /** Takes note of an access; it is written down within a moment, and in nobody's way. */
  note(access: Access, status: number): void;
  /** Writes down what was noted. */
  close(): Promise<void>;
}

/** A witness at one access. */
export interface Stand {
  readonly witness: Witness;
  readonly access: Access;
}

const BROKEN = 500;

/**
 * Does what was asked for, and notes what came of it, unless the line was written with the change: then `changed` was
 * called, last of all in a transaction that was committed.
 */
export async function observed<T extends { status: number }>(
  stand: Stand | undefined,
  run: (changed: (work: Work, status: number) => void, begun: () => void) => Promise<T>,
): Promise<T> {
  if (!stand) return run(nothing, nothing);
  const { witness, access } = stand;
  let isWritten = false;
  const changed = (work: Work, status: number) => {
    witness.write(work, access, status);
    isWritten = true;
  };
  // A transaction that is tried again has written nothing yet.
  const begun = () => (isWritten = false);
  try {
    const sent = await run(changed, begun);
    if (!isWritten) witness.note(access, sent.status);
    return sent;
  } catch (error) {
    witness.note(access, error instanceof DomainError ? statusOf[error.kind] : BROKEN);
    throw error;
  }
}

const nothing = () => {};
