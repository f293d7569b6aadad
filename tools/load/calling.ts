import { z } from 'zod';

/** What a caller sends. */
export const Calling = z.object({
  url: z.string(),
  /** Sent in turn: one entry for each key. */
  headers: z.array(z.record(z.string(), z.string())),
  paths: z.array(z.string()),
  connections: z.int(),
  lastsMs: z.number(),
  /** Between a response and the next request of its connection. */
  pauseMs: z.number(),
});
export type Calling = z.output<typeof Calling>;

/** What a caller measured: the time of each response in milliseconds, and how often each status came. */
export const Called = z.object({ times: z.array(z.number()), statuses: z.record(z.string(), z.int()) });
export type Called = z.output<typeof Called>;
