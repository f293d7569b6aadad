import type { TenantColumns } from '../platform/db/tenant-rows.ts';

/** `announced`: every process loads the new key; `sealing`: it seals, and older values are resealed. */
type DataKeyRotationState = 'announced' | 'sealing' | 'done' | 'stuck';

declare module '../platform/db/database.ts' {
  interface Database {
    data_key_rotation: TenantColumns & {
      generation: number;
      state: DataKeyRotationState;
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
