import type { ReceivedReport } from '../../adapters/lab-network/port.ts';

const MOMENTS = new Set(['collectedAt', 'receivedAt', 'reportedAt', 'observedAt']);

/** A report as it is sealed; `receivedOf` reads it back as it was. */
export const textOfReceived = (report: ReceivedReport): string => JSON.stringify(report);

export const receivedOf = (text: string): ReceivedReport =>
  JSON.parse(text, (key, value: unknown) =>
    MOMENTS.has(key) && typeof value === 'string' ? new Date(value) : value,
  );
