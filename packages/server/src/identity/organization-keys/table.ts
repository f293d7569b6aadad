declare module '../../platform/db/database.ts' {
  interface Database {
    organization_key: { org_id: string; wrapped_key: Buffer; created_at: Date };
  }
}
export {};
