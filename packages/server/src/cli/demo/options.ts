import type { DemoClient } from './client.ts';

/** What fills a sandbox. The same seed and number of people give the same people, orders and values. */
export interface DemoOptions {
  readonly client: DemoClient;
  readonly orgId: string;
  readonly teamId: string;
  readonly seed: string;
  readonly people: number;
  /** Whether the team may hold users that the demo did not make. */
  readonly again: boolean;
  /** The system time, at which the history ends. */
  readonly now: () => Date;
  readonly report: (text: string) => void;
}
