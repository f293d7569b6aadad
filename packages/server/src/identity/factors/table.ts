declare module '../../platform/db/database.ts' {
  interface Database {
    member_totp: {
      member_id: string;
      /** Sealed; null until a code was confirmed. */
      secret: Buffer | null;
      confirmed_at: Date | null;
      last_step: number | null;
      pending: Buffer | null;
      pending_until: Date | null;
    };
    member_recovery_code: { member_id: string; digest: Buffer; created_at: Date; used_at: Date | null };
  }
}
export {};
