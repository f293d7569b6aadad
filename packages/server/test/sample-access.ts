import { inTenant, readTenant } from '../src/app.ts';
import type { ReadingOrigin, HealthSample, SampleReading } from '../src/readings/readings.ts';
import { putSamples, readSamples, type PutSamplesResult } from '../src/wearables/samples/samples.ts';
import type { TestService, TestTeam } from './service.ts';

// Reads and writes samples through the entry point of their module, without HTTP.

const watch = { id: 'W1', manufacturer: 'Acme', model: 'Watch', version: '1.0' };
export const fitbit: ReadingOrigin = {
  provider: 'fitbit',
  type: 'watch',
  appId: null,
  device: watch,
  workout: null,
};
export const oura: ReadingOrigin = {
  provider: 'oura',
  type: 'ring',
  appId: null,
  device: null,
  workout: null,
};

export const sampleAt = (
  at: number,
  value: number | null,
  rest: Partial<HealthSample> = {},
): HealthSample => ({
  at,
  value,
  until: null,
  offset: null,
  type: null,
  more: null,
  ...rest,
});

export const heartrate = (origin: ReadingOrigin, samples: readonly HealthSample[]): SampleReading => ({
  kind: 'samples',
  resource: 'heartrate',
  origin,
  samples,
});

interface SampleReadOptions {
  readonly from?: number;
  readonly to?: number;
  readonly provider?: string;
  readonly limit?: number;
  readonly resource?: SampleReading['resource'];
  readonly type?: string;
}

export interface FoundSample {
  readonly provider: string;
  readonly sample: HealthSample;
}

/** The extent of a segment or a chunk. */
interface SampleBlock {
  readonly stream_id: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly count: number;
}

/** Sample access for the users of one team. */
export function sampleAccess({ app, ownerPool }: TestService, { tenant }: TestTeam) {
  const count = async (statement: string, userId: string): Promise<number> =>
    (await ownerPool.query(statement, [userId])).rows[0].count;
  const streams = 'stream_id in (select id from sample_stream where user_id = $1)';
  const packed = async (table: string, userId: string): Promise<SampleBlock[]> =>
    (
      await ownerPool.query(
        `select stream_id, first_at, last_at, count from ${table} where ${streams} order by stream_id, first_at`,
        [userId],
      )
    ).rows;
  return {
    put: (userId: string, reading: SampleReading): Promise<PutSamplesResult> =>
      inTenant(app, tenant, (work) => putSamples(work, userId, reading)),
    /** Reads all pages. */
    read: async (
      userId: string,
      { limit = 7, ...wanted }: SampleReadOptions = {},
    ): Promise<FoundSample[]> => {
      const query = { userId, resource: 'heartrate' as const, from: 0, to: 8e15, limit, ...wanted };
      const all: FoundSample[] = [];
      let after: string | undefined;
      do {
        const page = await readTenant(app, tenant, (work) => readSamples(work, { ...query, after }));
        const found = page.groups.flatMap(({ source, samples }) =>
          samples.map(({ sourceId: _none, ...sample }: HealthSample & { sourceId?: number }) => ({
            provider: source.provider,
            sample,
          })),
        );
        all.push(...found.toSorted((a, b) => a.sample.at - b.sample.at));
        after = page.next ?? undefined;
      } while (after !== undefined);
      return all;
    },
    /** Counts of uncompacted samples: in rows, and in segments. */
    young: async (userId: string): Promise<{ rows: number; inSegments: number }> => ({
      rows: await count(`select count(*) from sample where ${streams}`, userId),
      inSegments: await count(
        `select coalesce(sum(count), 0) as count from sample_segment where ${streams}`,
        userId,
      ),
    }),
    segments: (userId: string) => packed('sample_segment', userId),
    chunks: (userId: string) => packed('sample_chunk', userId),
  };
}
