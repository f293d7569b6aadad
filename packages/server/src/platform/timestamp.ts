import { z } from 'zod';

/**
 * A timestamp in responses, events and stored documents: ISO 8601 with `Z` or an offset. `isoTimestamp` of clock.ts
 * writes it. Requests have TimestampInput, which is limited to what the database can represent.
 */
export const Timestamp = z.iso.datetime({ offset: true });
