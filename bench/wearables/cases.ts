import { DAY } from '../../packages/server/src/platform/clock.ts';
import type { ReadingOrigin, HealthSample } from '../../packages/server/src/readings/readings.ts';
import type { SamplePage, SampleQuery } from '../../packages/server/src/wearables/samples/samples.ts';
import { defineCase, type BenchCase, type BenchGroup } from '../../tools/bench/bench-case.ts';
import { alternate, ratioOf, type RoundTimes } from '../result.ts';
import { copyIn } from './copy.ts';
import { sampleStage, type SampleStage } from './stage.ts';

const SAMPLES: BenchGroup = {
  heading:
    'Samples per second (samples-size: per MiB) and those of a bare table; pushes of 12 and single inserts',
  columns: ['ours', 'bare'],
};

const ORIGIN: ReadingOrigin = {
  provider: 'apple_health_kit',
  type: 'watch',
  appId: 'com.example.app',
  device: { id: 'W1', manufacturer: 'Acme', model: 'Watch', version: '1.0' },
  workout: null,
};
const START = Date.UTC(2026, 0, 1);
const BEAT_MS = 5000;
const BEATS_A_DAY = DAY / BEAT_MS;

/** A heart rate every five seconds, sometimes a second early or late, and different every day. */
function pulseSamples(count: number): HealthSample[] {
  let [value, random] = [70, 42];
  const next = () => (random = (random * 48_271) % 2_147_483_647);
  return Array.from({ length: count }, (_, n) => {
    value = Math.min(180, Math.max(45, value + (next() % 7) - 3));
    const drift = next() % 10 === 0 ? ((next() % 3) - 1) * 1000 : 0;
    return { at: START + n * BEAT_MS + drift, value, until: null, offset: 3600, type: null, more: null };
  });
}

const reading = (samples: readonly HealthSample[]) => ({
  kind: 'samples' as const,
  resource: 'heartrate' as const,
  origin: ORIGIN,
  samples,
});

const BULK_BATCH = 5000;

/** New samples per second, 5,000 per transaction; baseline: one COPY of the rows into a table with the same key. */
const samplesBulk = defineCase<SampleStage, { rounds: number; count: number }>({
  name: 'samples-bulk',
  group: SAMPLES,
  goal: 0.25,
  stage: sampleStage,
  sizes: { full: { rounds: 5, count: 100_000 }, quick: { rounds: 1, count: 10_000 } },
  expectedSeconds: { full: 30, quick: 2 },
  run: async (stage, { parameters: { rounds, count }, goal, report, advance }) => {
    const samples = pulseSamples(count);
    const [our, their]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      const [a, b] = [await putBulk(stage, samples), await copyRows(stage, { samples, stream: round })];
      advance(round + 1, rounds + 1);
      if (round === 0) continue;
      our.push(a);
      their.push(b);
    }
    report(ratioOf('samples-bulk', { ours: our, bare: their, goal }));
  },
});

async function putBulk(
  { service, app, tenant, user }: SampleStage,
  samples: readonly HealthSample[],
): Promise<number> {
  const userId = await user();
  const start = performance.now();
  for (let at = 0; at < samples.length; at += BULK_BATCH) {
    const batch = reading(samples.slice(at, at + BULK_BATCH));
    const { created } = await service.inTenant(app, tenant, (work) =>
      service.putSamples(work, userId, batch),
    );
    if (created.length !== batch.samples.length) throw new Error(`${created.length} samples are new`);
  }
  return (samples.length * 1000) / (performance.now() - start);
}

const COPY = `copy bare_sample (team_id, environment, stream_id, source_id, at, value, zone_offset) from stdin`;

async function copyRows(
  { pool, tenant }: SampleStage,
  { samples, stream }: { samples: readonly HealthSample[]; stream: number },
): Promise<number> {
  const line = ({ at, value, offset }: HealthSample) =>
    `${tenant.teamId}\t${tenant.environment}\t${stream}\t1\t${at}\t${value}\t${offset}\n`;
  const bytes = Buffer.from(samples.map(line).join(''));
  const client = await pool.connect();
  try {
    const start = performance.now();
    await copyIn(client, COPY, bytes);
    return (samples.length * 1000) / (performance.now() - start);
  } finally {
    client.release();
  }
}

const PUSH = 12;
const PUSHING_USERS = 64;

/**
 * Pushes of twelve new samples per second, and inserts of a single row: both from this process, sequential, without
 * HTTP, checks or events, and both durable. Otherwise they differ by design. Ours opens a tenant transaction under
 * row-level security, takes the user's lock, verifies the cached stream, source and device, and writes a sealed
 * segment. The other is one statement of the owner without an explicit transaction. Both take one round trip, ours from
 * the second push of a user on.
 */
const samplesPush = defineCase<SampleStage, RoundTimes>({
  name: 'samples-push',
  group: SAMPLES,
  goal: 0.5,
  stage: sampleStage,
  sizes: {
    full: { rounds: 5, roundMs: 3000, warmUpMs: 1500 },
    quick: { rounds: 1, roundMs: 300, warmUpMs: 100 },
  },
  expectedSeconds: { full: 34, quick: 1 },
  run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
    const users = await Promise.all(Array.from({ length: PUSHING_USERS }, stage.user));
    const { push, insert } = createPushers(stage, users);
    await runLoad(push, warmUpMs);
    await runLoad(insert, warmUpMs);
    const measured = await alternate({
      rounds,
      ours: () => runLoad(push, roundMs),
      bare: () => runLoad(insert, roundMs),
      advance,
    });
    report(ratioOf('samples-push', { ...measured, goal }));
  },
});

function createPushers({ service, app, tenant, pool }: SampleStage, users: readonly string[]) {
  const { inTenant, putSamples } = service;
  let count = 0;
  const push = async (n: number) => {
    count += 1;
    const from = START + (count + 1) * PUSH * BEAT_MS;
    const samples = Array.from({ length: PUSH }, (_, place) => ({
      at: from + place * BEAT_MS,
      value: 60 + (n % 40),
      until: null,
      offset: 3600,
      type: null,
      more: null,
    }));
    await inTenant(app, tenant, (work) => putSamples(work, users[n % users.length] ?? '', reading(samples)));
  };
  const insert = (n: number) => {
    count += 1;
    const stream = 1000 + (n % users.length);
    const values = [tenant.teamId, tenant.environment, stream, 1, count, 60 + (n % 40), 3600];
    return pool.query({ ...INSERT, values });
  };
  return { push, insert };
}

const INSERT = {
  name: 'bare_insert',
  text: `insert into bare_sample (team_id, environment, stream_id, source_id, at, value, zone_offset)
    values ($1, $2, $3, $4, $5, $6, $7)`,
};

async function runLoad(shoot: (n: number) => Promise<unknown>, forMs: number): Promise<number> {
  const start = performance.now();
  let shots = 0;
  while (performance.now() - start < forMs) await shoot((shots += 1));
  return (shots * 1000) / (performance.now() - start);
}

/** Samples per MiB after compacting a month of one user's heart rate; baseline: eight bytes per sample. */
const samplesSize = defineCase<SampleStage, { days: number }>({
  name: 'samples-size',
  group: SAMPLES,
  goal: 1,
  stage: sampleStage,
  sizes: { full: { days: 30 }, quick: { days: 2 } },
  expectedSeconds: { full: 8, quick: 1 },
  run: async (stage, { parameters: { days }, goal, report }) => {
    const count = days * BEATS_A_DAY;
    const before = await bytesOf(stage);
    await putCompacted(stage, pulseSamples(count));
    await stage.pool.query('vacuum (analyze) sample_chunk');
    const bytes = (await bytesOf(stage)) - before;
    const of = (each: number) => [2 ** 20 / each];
    report(ratioOf('samples-size', { ours: of(bytes / count), bare: of(8), goal }));
  },
});

/** Writes the samples of a new user and compacts them; returns the user's id. */
async function putCompacted(stage: SampleStage, samples: readonly HealthSample[]): Promise<string> {
  const { service, app, tenant, user } = stage;
  const userId = await user();
  await putBulk({ ...stage, user: async () => userId }, samples);
  await service.compactSamples.run(app, tenant, { user_id: userId });
  return userId;
}

const bytesOf = async ({ pool }: SampleStage): Promise<number> =>
  Number((await pool.query(`select pg_total_relation_size('sample_chunk') as bytes`)).rows[0].bytes);

const PAGE = 10_000;
const READ_STREAM = 5000;

/** Compacted samples per second, read in pages of 10,000 from a month of heart rate; baseline: a table of rows. */
const samplesRead = defineCase<SampleStage, { rounds: number; days: number }>({
  name: 'samples-read',
  group: SAMPLES,
  goal: 3,
  stage: sampleStage,
  sizes: { full: { rounds: 5, days: 30 }, quick: { rounds: 1, days: 2 } },
  expectedSeconds: { full: 45, quick: 3 },
  run: async (stage, { parameters: { rounds, days }, goal, report, advance }) => {
    const samples = pulseSamples(days * BEATS_A_DAY);
    const userId = await putCompacted(stage, samples);
    await copyRows(stage, { samples, stream: READ_STREAM });
    await stage.pool.query('vacuum (analyze)');
    const period = { from: START, to: START + days * DAY };
    const [our, their]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      const a = await measureRead(() => readPages(stage, userId, period), samples.length);
      const b = await measureRead(() => readRows(stage, period), samples.length);
      advance(round + 1, rounds + 1);
      if (round === 0) continue;
      our.push(a);
      their.push(b);
    }
    report(ratioOf('samples-read', { ours: our, bare: their, goal }));
  },
});

interface SamplePeriod {
  readonly from: number;
  readonly to: number;
}

async function readPages(
  { service, app, tenant }: SampleStage,
  userId: string,
  period: SamplePeriod,
): Promise<number> {
  let [count, after]: [number, string | undefined] = [0, undefined];
  do {
    const query: SampleQuery = { userId, resource: 'heartrate' as const, ...period, limit: PAGE, after };
    const page: SamplePage = await service.readTenant(app, tenant, (work) =>
      service.readSamples(work, query),
    );
    for (const group of page.groups) count += group.samples.length;
    after = page.next ?? undefined;
  } while (after !== undefined);
  return count;
}

async function readRows({ pool, tenant }: SampleStage, period: SamplePeriod): Promise<number> {
  let [count, from] = [0, period.from];
  for (;;) {
    const values = [tenant.teamId, tenant.environment, READ_STREAM, from, period.to, PAGE];
    const page: HealthSample[] = (await pool.query({ ...SELECT, values })).rows;
    count += page.length;
    if (page.length < PAGE) return count;
    from = (page.at(-1)?.at ?? 0) + 1;
  }
}

const SELECT = {
  name: 'bare_select',
  text: `select at, value, until, zone_offset as offset, type, more, source_id from bare_sample
    where team_id = $1 and environment = $2 and stream_id = $3 and at >= $4 and at < $5 order by at limit $6`,
};

async function measureRead(read: () => Promise<number>, expected: number): Promise<number> {
  const start = performance.now();
  const count = await read();
  if (Math.abs(count - expected) > 2) throw new Error(`${count} samples were read`);
  return (count * 1000) / (performance.now() - start);
}

export const sampleCases: readonly BenchCase[] = [samplesBulk, samplesPush, samplesSize, samplesRead];
