import type { TenantColumns } from '../platform/db/tenant-rows.ts';

/** `announced`: the new key opens everywhere soon; `sealing`: it seals, and what is older is sealed anew. */
export type RotationState = 'announced' | 'sealing' | 'done' | 'stuck';

declare module '../platform/db/database.ts' {
  interface Database {
    data_key_rotation: TenantColumns & {
      generation: number;
      state: RotationState;
      announced_at: Date;
      switched_at: Date | null;
      finished_at: Date | null;
      round: number;
      round_began_at: Date | null;
      round_resealed: number;
      place: number;
      after: string[] | null;
      resealed: number;
      hindrance: string | null;
    };
  }
}
