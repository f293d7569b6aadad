import type { Config } from '../config.ts';

export const EXPORT_TIMEOUT_MS = 10_000;
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** The settings of one signal. */
interface SignalSettings {
  readonly exporter: 'otlp' | 'none' | undefined;
  /** The complete URL for this signal. */
  readonly own: string | undefined;
  readonly path: string;
}

/** The URL that a signal is sent to; undefined: nowhere. */
export function endpointOf(config: Config, { exporter, own, path }: SignalSettings): string | undefined {
  const general = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isWanted = exporter === undefined ? (own ?? general) !== undefined : exporter === 'otlp';
  if (!isWanted) return undefined;
  return own ?? `${(general ?? DEFAULT_ENDPOINT).replace(/\/$/, '')}/${path}`;
}
