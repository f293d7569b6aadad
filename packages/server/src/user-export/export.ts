import { createHash, type Hash } from 'node:crypto';
import { readTenant, type App } from '../app.ts';
import { openEntryIds } from '../identity/access-log/access-log.ts';
import { SEALED_COLUMNS } from '../data-keys/data-keys.ts';
import { isoTimestamp } from '../platform/clock.ts';
import { stringifyPreciseJson } from '../platform/precise-json.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { USER_TABLES, type UserTable } from '../users/erasures/erasures.ts';
import * as store from './store.ts';

/** What the export needs of the modules that own the data. */
export interface ExportSources {
  /** The results of an order as a FHIR R4 Bundle; undefined where there are none. */
  readonly toFhirBundle: (work: Work, orderId: string) => Promise<object | undefined>;
  /** A page of samples of a resource, grouped by source as in the API. */
  readonly readSamples: (
    work: Work,
    query: { userId: string; resource: string; limit: number; after: string | undefined },
  ) => Promise<{ groups: object[]; next: string | null }>;
  /** The columns of a workout stream as in the API. */
  readonly unpackStream: (packed: Buffer) => object;
  readonly fetchReportFile: (app: App, tenant: Tenant, id: string) => Promise<Buffer>;
}

/** Tables whose rows are not exported, each with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  issued_token: 'credentials',
  link_token: 'credentials',
  link_code: 'credentials',
  link_attempt: 'credentials',
  order_name: 'keyed digests of names, which the orders contain',
  order_name_token: 'keyed digests of names, which the orders contain',
  sample: 'exported by resource, as samples',
  sample_segment: 'exported by resource, as samples',
  sample_chunk: 'exported by resource, as samples',
  wearable_file: 'exists only until the upload is read',
};

/** Sealed columns that are left out: the grants of providers. */
const SECRET_COLUMNS = new Set(['connection.private']);
/** Numbers of sequences that all tenants share, which nothing else refers to. */
const SHARED_NUMBERS = new Set([
  'appointment.number',
  'appointment_event.id',
  'sample_stream.id',
  'wearable_source.number',
]);
/** A sealed column that contains bytes. It is exported in base64. */
const DOCUMENT_COLUMN = 'lab_document.content';
const STREAM_COLUMN = 'workout_stream.columns';
const SEALED: ReadonlySet<string> = new Set(SEALED_COLUMNS);

const PAGE = 200;
const SAMPLES = 5000;
/** Bytes of a file in one line. */
const PART = 48 * 1024;
export const EXPORT_FORMAT = { format: 'aliquot-user-export', version: 1 } as const;

interface ExportRequest {
  readonly tenant: Tenant;
  readonly userId: string;
  /** The id of the key, or `member:` with the id of a member. */
  readonly by: string;
}

/**
 * Everything about a user as NDJSON, in bounded memory: each line has its section, and the last line is the manifest
 * with the number of lines and the SHA-256 of each section. Pages are read in transactions of their own, so what changes
 * meanwhile may be in one section and not in another.
 */
export async function* exportUser(
  app: App,
  sources: ExportSources,
  request: ExportRequest,
): AsyncGenerator<string, void> {
  const createdAt = isoTimestamp(app.clock.now());
  const digests = new Map<string, { lines: number; hash: Hash }>();
  for await (const { section, data } of collect(app, sources, request)) {
    // Numbers of FHIR keep their precision. Samples are many, and written faster.
    const stringify = section === 'fhir' ? stringifyPreciseJson : JSON.stringify;
    const text = `${stringify({ section, data })}\n`;
    const digest = digests.get(section) ?? { lines: 0, hash: createHash('sha256') };
    digest.hash.update(text);
    digests.set(section, { ...digest, lines: digest.lines + 1 });
    yield text;
  }
  const sections = [...digests].map(([section, { lines, hash }]) => ({
    section,
    lines,
    sha256: hash.digest('hex'),
  }));
  const { tenant, userId, by } = request;
  const made = { user_id: userId, environment: tenant.environment, created_at: createdAt, created_by: by };
  yield `${JSON.stringify({ section: 'manifest', data: { ...EXPORT_FORMAT, ...made, sections } })}\n`;
}

interface ExportLine {
  readonly section: string;
  readonly data: object;
}

async function* collect(
  app: App,
  sources: ExportSources,
  { tenant, userId }: ExportRequest,
): AsyncGenerator<ExportLine> {
  const read = <T>(run: (work: Work) => Promise<T>) => readTenant(app, tenant, run);
  for (const entry of USER_TABLES)
    if (!(entry.table in NOT_EXPORTED)) yield* collectTable(read, sources, { entry, userId });
  const { orderIds, resources } = await read((work) => store.listOrdersAndResources(work, userId));
  for (const orderId of orderIds) {
    const bundle = await read((work) => sources.toFhirBundle(work, orderId));
    if (bundle) yield { section: 'fhir', data: bundle };
  }
  for (const resource of resources) {
    let after: string | undefined;
    do {
      const query = { userId, resource, limit: SAMPLES, after };
      const page = await read((work) => sources.readSamples(work, query));
      for (const group of page.groups) yield { section: 'samples', data: { resource, ...group } };
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
  for (const { id, job_id, media_type } of await read((work) => store.listReportFiles(work, userId))) {
    const bytes = await sources.fetchReportFile(app, tenant, id);
    for (let at = 0; at < bytes.length; at += PART) {
      const base64 = bytes.subarray(at, at + PART).toString('base64');
      yield { section: 'files', data: { id, job_id, media_type, size: bytes.length, offset: at, base64 } };
    }
  }
  const ids = openEntryIds(app, tenant);
  for (let after = 0; ;) {
    const from = after;
    const lines = await read((work) => store.listAccessLines(work, { userId, after: from, limit: PAGE }));
    for (const { place, ...line } of lines)
      yield { section: 'access_log', data: { id: ids.toId(place), ...line } };
    after = lines.at(-1)?.place ?? 0;
    if (lines.length < PAGE) return;
  }
}

type Read = <T>(run: (work: Work) => Promise<T>) => Promise<T>;

async function* collectTable(
  read: Read,
  sources: ExportSources,
  { entry, userId }: { entry: UserTable; userId: string },
): AsyncGenerator<ExportLine> {
  const keys = await read(({ tx }) => store.listKeyColumns(tx, entry.table));
  for (let after: readonly string[] | undefined; ;) {
    const page = { keys, after, limit: PAGE };
    const rows = await read(async (work) =>
      (await store.listRows(work, { userId, entry }, page)).map(({ row, key }) => ({
        key,
        data: openRow(work, sources, { table: entry.table, row }),
      })),
    );
    for (const { data } of rows) yield { section: entry.table, data };
    after = rows.at(-1)?.key;
    if (rows.length < PAGE) return;
  }
}

/** Opens the sealed columns of a row. Other bytes are digests, which say nothing to anyone, and are left out. */
function openRow(
  work: Work,
  sources: ExportSources,
  { table, row }: { table: string; row: Record<string, unknown> },
): Record<string, unknown> {
  const opened: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const place = `${table}.${column}`;
    const isBytes = typeof value === 'string' && value.startsWith(String.raw`\x`);
    if (SECRET_COLUMNS.has(place) || SHARED_NUMBERS.has(place)) continue;
    if (!isBytes) opened[column] = value;
    else if (SEALED.has(place)) {
      const bytes = Buffer.from(value.slice(2), 'hex');
      opened[column] = openValue(work, sources, { place, bytes });
    }
  }
  return table === 'lab_order_event' ? withPublicId(opened) : opened;
}

/** The id as callers see it: the order's events have it in every response. */
const withPublicId = ({ public_id: id, ...event }: Record<string, unknown>): Record<string, unknown> => ({
  ...event,
  id: id ?? event['id'],
});

function openValue(
  { cipher }: Work,
  { unpackStream }: ExportSources,
  { place, bytes }: { place: string; bytes: Buffer },
): unknown {
  if (place === STREAM_COLUMN) return unpackStream(cipher.openChunk(bytes, place));
  if (place === DOCUMENT_COLUMN) return cipher.openChunk(bytes, place).toString('base64');
  return parseText(cipher.open(bytes, place));
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
