import { openOpaqueIds } from '../../platform/crypto/opaque-ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Platform } from '../../platform/work.ts';
import type { RequestPosition } from './store.ts';

/** Turns positions in the request log into the ids that callers see, and back. */
export interface RequestIds {
  toId(position: RequestPosition): string;
  /** Undefined for a text that is no id. */
  toPosition(id: string): RequestPosition | undefined;
}

/** The last timestamp that JavaScript and the database know. */
const LATEST_MS = BigInt(Date.UTC(9999, 0));

/** The places of all tenants come from one sequence, so that they are not shown: the distance of two would tell. */
export function openRequestIds({ keyring }: Pick<Platform, 'keyring'>, tenant: Tenant): RequestIds {
  const ids = openOpaqueIds(keyring.derive(`request-log-id/${tenant.teamId}/${tenant.environment}`));
  return {
    toId: ({ at, place }) => ids.seal(at.getTime(), place),
    toPosition: (id) => {
      const opened = ids.open(id);
      if (!opened || opened.first > LATEST_MS || opened.second > BigInt(Number.MAX_SAFE_INTEGER))
        return undefined;
      return { at: new Date(Number(opened.first)), place: Number(opened.second) };
    },
  };
}
