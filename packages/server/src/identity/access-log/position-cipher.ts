import { openOpaqueIds } from '../../platform/crypto/opaque-ids.ts';

/** Turns positions in the access log into the ids that callers see, and back. */
export interface EntryIds {
  toId(position: number): string;
  /** Undefined for a text that is no id of this key. */
  toPosition(id: string): number | undefined;
}

/**
 * The positions of all tenants come from one sequence, so the distance of two of them tells how much the others do. An
 * id is the position as one encrypted block, under a key of its tenant: the same position always has the same id.
 */
export function openPositionCipher(key: Buffer): EntryIds {
  const ids = openOpaqueIds(key);
  return {
    toId: (position) => ids.seal(position, 0),
    toPosition: (id) => {
      const opened = ids.open(id);
      return opened?.second === 0n ? Number(opened.first) : undefined;
    },
  };
}
