import { type Tenant, toTenantKey } from '../tenant.ts';

/**
 * Limits on the workers of one pool that run jobs of one lane, that is, of one external system: per tenant
 * (`ofTenant`), for all tenants (`ofAll`), and for all lanes of one tenant (`together`). A system that does not respond
 * blocks no more workers than these.
 */
export interface LaneShares {
  readonly ofTenant: number;
  readonly ofAll: number;
  readonly together: number;
}

/** Counts the running jobs of each lane. */
export interface JobLanes {
  /** The names of the full lanes, whose jobs stay in the queue. */
  full(): string[];
  /** Enters the lane; returns false if it is full. Only a job that entered may leave. */
  enter(one: LaneEntry): boolean;
  leave(one: LaneEntry): void;
}

interface LaneEntry {
  readonly tenant: Tenant;
  readonly lane: string;
}

/** The flags of the job in the queue, as `aliquot_enqueue_each` writes them. */
const namesOf = ({ tenant, lane }: LaneEntry) => ({
  ofAll: `${tenant.environment}/${lane}`,
  ofTenant: `${toTenantKey(tenant)}/${lane}`,
  together: toTenantKey(tenant),
});

export function openLanes(shares: LaneShares): JobLanes {
  const kinds = ['ofAll', 'ofTenant', 'together'] as const;
  const held = {
    ofAll: new Map<string, number>(),
    ofTenant: new Map(),
    together: new Map(),
  } satisfies Record<keyof LaneShares, Map<string, number>>;
  const isFull = (kind: keyof LaneShares, name: string) => (held[kind].get(name) ?? 0) >= shares[kind];
  const change = (one: LaneEntry, by: number) => {
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
