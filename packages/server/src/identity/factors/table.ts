import type { ColumnType } from 'kysely';

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
    member_passkey: {
      id: string;
      member_id: string;
      credential_id: string;
      public_key: Buffer;
      /** A number in JavaScript: authenticators count in 32 bits. */
      counter: ColumnType<string, number, number>;
      transports: string[];
      name: string;
      created_at: Date;
      last_used_at: Date | null;
    };
    passkey_challenge: { browser: Buffer; challenge: string; member_id: string | null; expires_at: Date };
    member_recovery_code: { member_id: string; digest: Buffer; created_at: Date; used_at: Date | null };
  }
}
