import type { Tenant } from '../tenant.ts';

/**
 * Of the workers of one crew so many may be at the jobs of one lane, which all ask one and the same: for one tenant, and
 * for all of them; and so many at the lanes of one tenant together. Who does not answer holds these and no more.
 */
export interface Shares {
  readonly ofTenant: number;
  readonly ofAll: number;
  readonly together: number;
}

/** How many are at which lane. */
export interface Lanes {
  /** The names of the lanes that take nobody more at the moment: their jobs stay in the queue. */
  full(): string[];
  /** Whether there was room. Who entered leaves; who did not is not there. */
  enter(one: InLane): boolean;
  leave(one: InLane): void;
}

export interface InLane {
  readonly tenant: Tenant;
  readonly lane: string;
}

/** The names that the queue knows the job by, as `aliquot_enqueue_each` writes them. */
const namesOf = ({ tenant: { teamId, environment }, lane }: InLane) => ({
  ofAll: `${environment}/${lane}`,
  ofTenant: `${teamId}/${environment}/${lane}`,
  together: `${teamId}/${environment}`,
});

export function openLanes(shares: Shares): Lanes {
  const kinds = ['ofAll', 'ofTenant', 'together'] as const;
  const held = {
    ofAll: new Map<string, number>(),
    ofTenant: new Map(),
    together: new Map(),
  } satisfies Record<keyof Shares, Map<string, number>>;
  const isFull = (kind: keyof Shares, name: string) => (held[kind].get(name) ?? 0) >= shares[kind];
  const change = (one: InLane, by: number) => {
    const names = namesOf(one);
    for (const kind of kinds) {
      const left = (held[kind].get(names[kind]) ?? 0) + by;
      if (left === 0) held[kind].delete(names[kind]);
      else held[kind].set(names[kind], left);
    }
  };
  return {
    full: () => kinds.flatMap((kind) => [...held[kind].keys()].filter((name) => isFull(kind, name))),
    enter: (one) => {
      const names = namesOf(one);
      if (kinds.some((kind) => isFull(kind, names[kind]))) return false;
      change(one, 1);
      return true;
    },
    leave: (one) => change(one, -1),
  };
}
