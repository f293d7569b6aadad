import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import { readInput } from './exchange.ts';
import type { SerializedResponse } from './idempotency-store.ts';
import {
  isMultipart,
  readSingleFile,
  readMultipart,
  UploadError,
  type ParsedUpload,
  type UploadedFile,
  type UploadLimits,
} from './multipart.ts';
import {
  authenticate,
  authenticateFirst,
  handleRequest,
  readIdempotency,
  type AnyTeamRoute,
  type ServedTeamRoute,
} from './serve-team.ts';
import type { ResponseSchemas, TeamPrincipal, TeamRoute } from './route.ts';
import { createParameterReader } from './validate.ts';
import { originOf } from './assistant-calls.ts';

/**
 * A POST of the team API whose body is multipart/form-data. The bytes of every file stream to `keep` before the rest of
 * the request is known; `body` then contains the fields, and an `UploadedFile` for each file. Files of a request that
 * failed go to `drop`, which may also get files that are in use after all.
 */
export interface UploadRoute<
  P extends z.ZodType | undefined,
  B extends z.ZodType,
  R extends ResponseSchemas,
  X,
> extends TeamRoute<P, undefined, B, R, X> {
  readonly limits: UploadLimits;
  /** The field name for a body that is a single file; without it the body must be a form. */
  readonly bare?: string;
  readonly keep: (tenant: Tenant, bytes: AsyncIterable<Buffer>) => Promise<string>;
  readonly drop: (tenant: Tenant, keys: readonly string[]) => Promise<void>;
}

export type AnyUploadRoute = AnyTeamRoute &
  Pick<UploadRoute<undefined, z.ZodType, ResponseSchemas, unknown>, 'limits' | 'bare' | 'keep' | 'drop'>;

type ServedUploadRoute = ServedTeamRoute & { readonly route: AnyUploadRoute };

/** Registered in its own Fastify scope, where bodies are not parsed but streamed. */
export function serveUpload(server: FastifyInstance, served: ServedUploadRoute): void {
  const { body } = served.route.schema;
  const readFields = body ? createParameterReader(body) : (given: Record<string, unknown>) => given;
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, _body, done) => done(null));
    room.post(served.path, { onRequest: authenticateFirst(served) }, async (request, reply) => {
      const principal = await authenticate(served, request);
      const upload = await receiveUpload(served, principal.tenant, request);
      request.body = readFields(upload.body);
      const sent = await handleOrDiscard(served, { request, principal, upload });
      return send(reply, sent);
    });
  });
}

const send = (reply: FastifyReply, { status, headers, text }: SerializedResponse) =>
  reply.code(status).headers(headers).type('application/json').send(text);

async function receiveUpload(
  served: ServedUploadRoute,
  tenant: Tenant,
  request: FastifyRequest,
): Promise<ParsedUpload> {
  const { bare, keep, limits } = served.route;
  const reading = { limits, keep: (bytes: AsyncIterable<Buffer>) => keep(tenant, bytes) };
  try {
    if (bare === undefined || isMultipart(request.raw)) return await readMultipart(request.raw, reading);
    return await readSingleFile(request.raw, { ...reading, name: bare });
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    await discardFiles(served, tenant, error.files);
    throw error.cause;
  }
}

interface ReceivedUpload {
  readonly request: FastifyRequest;
  readonly principal: TeamPrincipal;
  readonly upload: ParsedUpload;
}

/** The files are owned only after the handler ran and its transaction committed; otherwise they are discarded. */
async function handleOrDiscard(
  served: ServedUploadRoute,
  { request, principal, upload }: ReceivedUpload,
): Promise<SerializedResponse> {
  const { app, readers, route } = served;
  const { tenant } = principal;
  let isHandled = false;
  let isAnswered = false;
  try {
    const { input, headers } = readInput(app.config, readers, request);
    const { params, query } = request;
    const repeat = readIdempotency(route, request, [params, query, hashableParts(upload)]);
    const full = { ...input, tenant, principal, repeatKey: repeat?.key };
    const handler: AnyTeamRoute['handler'] = async (given) => {
      const value = await route.handler(given);
      isHandled = true;
      return value;
    };
    const exchange = { full, headers, repeat, from: originOf(request) };
    const sent = await handleRequest({ ...served, route: { ...route, handler } }, exchange);
    isAnswered = true;
    return sent;
  } finally {
    if (!isHandled || !isAnswered) await discardFiles(served, tenant, upload.files);
  }
}

/** The parts by which two requests are the same: the fields, and the files by content hash and type. */
const hashableParts = ({ body, files }: ParsedUpload): unknown => ({
  fields: Object.fromEntries(Object.entries(body).filter(([, value]) => !isFiles(value))),
  files: files.map(({ digest, type }) => [digest, type]),
});

const isFiles = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => typeof one === 'object');

/** A failed cleanup does not fail the request: the file storage finds unreferenced files later. */
async function discardFiles(
  { app, route }: ServedUploadRoute,
  tenant: Tenant,
  files: readonly UploadedFile[],
) {
  const keys = files.map(({ key }) => key);
  if (keys.length === 0) return;
  await route.drop(tenant, keys).catch((error: unknown) => {
    app.log.warn({ err: error }, 'files of a failed upload could not be deleted');
  });
}
