import type { PostgresBinaries } from './binaries.ts';
import type { DatabaseHome, SupervisorLog } from './home.ts';

/** The settings that stay the same across restarts of the server. */
export interface ServerSetup {
  readonly home: DatabaseHome;
  readonly binaries: PostgresBinaries;
  /** Undefined on Windows, where the server listens on `port` of the loopback interface. */
  readonly socketFolder: string | undefined;
  readonly port: number;
  readonly log: SupervisorLog;
  /** Maximum pause between two failing starts. */
  readonly longestPauseMs: number;
}
