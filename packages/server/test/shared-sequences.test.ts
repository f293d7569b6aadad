import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteRow } from '../src/platform/http/http.ts';
import { bookAppointment, orderFor, type AppointmentKind } from './appointments.ts';
import { openRouteSamples, type RouteSamples } from './route-samples.ts';
import type { Receiver } from './receiver.ts';
import { useTestService } from './service-hooks.ts';
import type { TestTeam } from './service.ts';

/**
 * The sequences that all tenants share. A number of one in an answer tells a team how much the others do, so none may
 * appear anywhere. A new sequence needs a row: who draws from it, and what callers see instead.
 */
const SHARED_SEQUENCES: Readonly<Record<string, string>> = {
  'public.access_log_place_seq': 'the position in the access log; callers see encrypted ids',
  'public.appointment_event_id_seq': 'the order of the events of an appointment',
  'public.appointment_number_seq': 'the order of the appointments of an order',
  'public.catalog_import_id':
    'ids of the catalog, drawn by operators only; the catalog is the same for all teams',
  'public.event_test_position_seq': 'the negative positions of test messages',
  'public.lab_order_block_seq': 'blocks of ids of order events; scrambled for each tenant',
  'public.lab_order_event_id_seq': 'the order of the events of an order; callers see `public_id`',
  'public.request_log_place_seq': 'the position in the request log; callers see encrypted ids',
  'public.sample_stream_id_seq': 'a stream of samples inside the storage',
  'public.wearable_source_id_seq': 'numbers the origins of samples; their ids are scrambled for each tenant',
  'graphile_worker.job_queues_id_seq': 'a queue of the job runner',
  'graphile_worker.jobs_id_seq1': 'a job of the job runner',
  'graphile_worker.tasks_id_seq': 'a task of the job runner',
};

/** Each sequence starts at a number that nothing else contains, and has a range of its own. */
const FIRST_JUMP = 734_210_000;
const JUMP_WIDTH = 1_000_000;
/** More than one run of this file draws. */
const DRAWN_MAX = 50_000;

const service = useTestService();
let samples: RouteSamples;
let receiver: Receiver;
let jumps: { name: string; first: number }[] = [];
beforeAll(async () => {
  jumps = await jumpAllSequences();
  samples = await openRouteSamples(service);
  receiver = await samples.owner.endpoint();
});

async function listSequences(): Promise<{ name: string; increment: number }[]> {
  const { rows } = await service.ownerPool.query<{ name: string; increment: number }>(
    `select schemaname || '.' || sequencename as name, increment_by::int as increment from pg_sequences
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  return rows;
}

/** As if other teams had drawn many numbers from each sequence. */
async function jumpAllSequences(): Promise<{ name: string; first: number }[]> {
  const sequences = await listSequences();
  const jumped = sequences.map(({ name, increment }, index) => ({
    name,
    first: FIRST_JUMP + index * JUMP_WIDTH,
    increment,
  }));
  for (const { name, first, increment } of jumped) {
    if (name === 'public.catalog_import_id') continue;
    await service.ownerPool.query('select setval($1, $2)', [name, increment < 0 ? -first : first]);
  }
  return jumped;
}

/** UUIDs and digests: of many, one has by chance digits like those of a number. In binary they are searched anyway. */
const RANDOM_HEX =
  /(?<![^\W_])(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=\d*[a-f])[\da-f]{16}|(?=\d*[a-f])[\da-f]{32,})(?![^\W_])/g;

/** The sequences whose numbers a text contains, in clear, in base64 or in binary. */
function findJumps(text: string): string[] {
  const words = [...text.matchAll(/[\w+/-]{11,}={0,2}/g)].map(([word]) => word);
  const encoded = [...new Set(words)].filter((word) => /\d|[A-Z]/.test(word));
  const decoded = encoded.map((word) => Buffer.from(word, 'base64'));
  const inHex = encoded.filter((word) => /^[\da-f]{16,}$/.test(word)).map((word) => Buffer.from(word, 'hex'));
  const readable = text.replaceAll(RANDOM_HEX, '');
  const numbers = [readable, ...decoded.map((bytes) => bytes.toString('latin1'))].flatMap((one) =>
    [...one.matchAll(/(?<![\d.])\d{9,10}(?!\d)/g)].map(([digits]) => Number(digits)),
  );
  const found = [...numbers, ...[...decoded, ...inHex].flatMap(readIntegers)].flatMap((number) => {
    const jump = jumps.find(({ first }) => number >= first && number <= first + DRAWN_MAX);
    return jump ? [`${jump.name} (${number})`] : [];
  });
  return [...new Set(found)];
}

/** The integers of eight bytes that are small enough to come from a sequence. */
function readIntegers(bytes: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 1) {
    if (bytes.readUInt32BE(at) === 0) numbers.push(bytes.readUInt32BE(at + 4));
    if (bytes.readUInt32LE(at + 4) === 0) numbers.push(bytes.readUInt32LE(at));
  }
  return numbers;
}

/** Pages of one item, so that every list that has more shows a cursor. */
function withSmallPage(route: RouteRow, url: string): string {
  const shape = route.schema.query && 'shape' in route.schema.query ? Object(route.schema.query.shape) : {};
  const limit = ['limit', 'size', 'page_size'].find((name) => name in shape);
  return limit === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${limit}=1`;
}

const credentialsOf = (route: RouteRow, { key, managementKey }: TestTeam): Record<string, string> =>
  route.scope === 'management' ? { 'x-management-key': managementKey } : { 'x-service-api-key': key };

let calls = 0;

async function answerOf(route: RouteRow, headers: Record<string, string> = {}) {
  calls += 1;
  const { method, url, body } = samples.callOf(route);
  return service.http.server.inject({
    method,
    url: method === 'GET' ? withSmallPage(route, url) : url,
    // An address of its own, so that no rate limit applies.
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
    headers: {
      ...credentialsOf(route, samples.owner),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
}

async function findJumpsOf(method: string, headers: Record<string, string> = {}): Promise<string[]> {
  const found: string[] = [];
  const routes = service.http.routes.filter((route) => route.method === method && route.scope !== 'open');
  for (const route of routes) {
    const answer = await answerOf(route, headers);
    if (answer.statusCode < 300) answered.add(route.schema.operationId);
    const text = `${JSON.stringify(answer.headers)} ${answer.body}`;
    for (const jump of findJumps(text)) found.push(`${route.schema.operationId}: ${jump}`);
  }
  return [...new Set(found)];
}
const answered = new Set<string>();

/** An order with an appointment takes the place of the order of the samples. */
async function addAppointment(kind: AppointmentKind): Promise<void> {
  const { owner, theirs } = samples;
  const orderId = await orderFor(owner, kind);
  const booked = await bookAppointment(owner, kind, orderId);
  if (booked.status !== 200) throw new Error(`Not booked: ${booked.text}`);
  Object.assign(theirs, { order_id: orderId });
}

/** Operations of GET that never answer with data here, each with the reason. */
const UNANSWERED: Readonly<Record<string, string>> = {
  getAbnPdf: 'the order needs no notice',
  getAreaInfo: 'catalog',
  getBrandLogoImage: 'the team has no logo',
  getEhrMember: 'the team has no health record system',
  getErasureCertificate: 'no user was erased; a certificate has counts of the user only',
  getLabReportReview: 'the report was not reviewed',
  getMarkerOfLab: 'catalog',
  getPscInfo: 'catalog',
  listUserNames: 'the ids of users are required; the answer has these and names only',
  search: 'a text to search for is required; results have ids and names only',
  searchDiagnoses: 'catalog',
  searchLoinc: 'catalog',
};

// DELETE comes last: it removes the resources and keys that other calls need.
describe('the numbers of a sequence that tenants share', { shuffle: false }, () => {
  it('come from the sequences of this table', async () => {
    expect((await listSequences()).map(({ name }) => name).toSorted()).toEqual(
      Object.keys(SHARED_SEQUENCES).toSorted(),
    );
  });

  it('are found in clear, in base64 and in binary', () => {
    const [{ name, first } = { name: '', first: 0 }] = jumps;
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(first + 3));
    const hidden = [
      `{"id":${first + 3}}`,
      Buffer.from(`{"at":${first + 3}}`).toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('base64'),
    ];
    for (const text of hidden) expect(findJumps(text)).toContain(`${name} (${first + 3})`);
    const digits = String(first + 3);
    const random = [`1a${digits}${'f'.repeat(53)}`, `0b9d6c1e-93f4-4a55-8f0e-a${digits}bc`];
    for (const hex of random) expect(findJumps(`{"digest":"${hex}"}`), hex).toEqual([]);
    expect(findJumps(`{"id":${first - 1}}`)).toEqual([]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH'])('appear in no answer to %s', async (method) => {
    expect(await findJumpsOf(method)).toEqual([]);
  });

  it('appear in no stream', async () => {
    expect(await findJumpsOf('GET', { accept: 'application/x-ndjson' })).toEqual([]);
  });

  it.each<AppointmentKind>(['phlebotomy', 'psc'])('appear in no answer about a visit: %s', async (kind) => {
    await addAppointment(kind);
    expect(await findJumpsOf('GET')).toEqual([]);
  });

  it('are searched in the answers of all operations that read', () => {
    const silent = service.http.routes.filter(
      ({ method, scope, schema }) =>
        method === 'GET' && scope !== 'open' && !answered.has(schema.operationId),
    );
    expect(silent.map(({ schema }) => schema.operationId).toSorted()).toEqual(
      Object.keys(UNANSWERED).toSorted(),
    );
  });

  it('appear in no webhook', async () => {
    await service.settle();
    expect(receiver.received.length).toBeGreaterThan(10);
    const texts = receiver.received.map(({ headers, text }) => `${JSON.stringify(headers)} ${text}`);
    expect(texts.flatMap(findJumps)).toEqual([]);
  });

  it('appear in no answer to DELETE', async () => {
    expect(await findJumpsOf('DELETE')).toEqual([]);
  });
});
