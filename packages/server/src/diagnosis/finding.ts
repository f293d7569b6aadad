import type { Config } from '../platform/config.ts';
import type { KeyProvider } from '../platform/crypto/key-provider.ts';
import type { EventDestinations } from '../adapters/event-destination/port.ts';
import type { FileStorage } from '../adapters/file-storage/port.ts';
import type { Mailer } from '../adapters/mail/port.ts';
import type { DatabaseConnection } from './database-connection.ts';

/** `ok`, something to see to soon, something that keeps the service from working, or nothing to look at. */
export type FindingState = 'ok' | 'warning' | 'problem' | 'not used';

export interface Finding {
  /** What was looked at, in a few words. */
  readonly subject: string;
  readonly state: FindingState;
  /** What was seen. Holds no secret and no password of a URL. */
  readonly detail: string;
  /** What to do. Every warning and every problem has it. */
  readonly advice?: string;
}

interface KeyProviders {
  readonly provider: KeyProvider;
  readonly additional: readonly KeyProvider[];
}

/** What the checks look at. The adapters are those that the service would use. */
export interface DiagnosisContext {
  readonly config: Config;
  readonly root: URL;
  /** Opened once for all checks of the database. Rejects with the reason why it cannot be reached. */
  readonly database: () => Promise<DatabaseConnection>;
  readonly mailer: Mailer;
  readonly fileStorage: FileStorage;
  readonly backupStorage: FileStorage;
  readonly openKeyProviders: () => Promise<KeyProviders>;
  readonly eventDestinations: EventDestinations;
}

export interface Check {
  /** The subject of its finding if it fails itself. */
  readonly subject: string;
  run(context: DiagnosisContext): Promise<readonly Finding[]>;
}

/** What an error says, in one line. */
export const reasonOf = (error: unknown): string => {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const text = first instanceof Error ? first.message || first.name : String(first);
  return (text.split('\n')[0] ?? '').slice(0, 300);
};
