declare module '../../platform/db/database.ts' {
  interface Database {
    sso_request: {
      state: Buffer;
      browser: Buffer;
      connection_id: string;
      member_id: string | null;
      session_id: string | null;
      return_to: string | null;
      created_at: Date;
      expires_at: Date;
    };
  }
}
export {};
