import type { Binaries } from './binaries.ts';
import type { Home, Log } from './home.ts';

/** All that stays the same from one start of the server to the next. */
export interface Site {
  readonly home: Home;
  readonly binaries: Binaries;
  /** Absent on Windows, which listens on `port` of the loopback. */
  readonly socketFolder: string | undefined;
  readonly port: number;
  readonly log: Log;
  /** The longest pause between two starts that fail. */
  readonly longestPauseMs: number;
}
