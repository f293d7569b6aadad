declare module '../db/database.ts' {
  interface Database {
    rate_bucket: {
      bucket: string;
      per_minute: number;
      need: number;
      want: number;
      granted: number;
      level: number;
      updated_at: Date;
    };
  }
}
