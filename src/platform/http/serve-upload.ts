import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import { inputOf } from './exchange.ts';
import type { SentAnswer } from './idempotency-store.ts';
import {
  isForm,
  readBare,
  readMultipart,
  UploadFailure,
  type Upload,
  type UploadedFile,
  type UploadLimits,
} from './multipart.ts';
import { admit, answerOf, fromOf, idempotencyOf, type AnyTeamRoute, type Served } from './serve-team.ts';
import type { Answers, TeamPrincipal, TeamRoute } from './route.ts';
import { textReader } from './validate.ts';

/**
 * A POST of the team API whose body is multipart/form-data. The bytes of every file go to `keep` as they come, before
 * anything else is known of the request; `body` then holds the fields, and an `UploadedFile` for each file. What was
 * kept for a request that came to nothing goes to `drop`, which may be told of files that are in use after all.
 */
export interface UploadRoute<
  P extends z.ZodType | undefined,
  B extends z.ZodType,
  R extends Answers,
  X,
> extends TeamRoute<P, undefined, B, R, X> {
  readonly limits: UploadLimits;
  /** The field that a body of another type is the one file of; without it there has to be a form. */
  readonly bare?: string;
  readonly keep: (tenant: Tenant, bytes: AsyncIterable<Buffer>) => Promise<string>;
  readonly drop: (tenant: Tenant, keys: readonly string[]) => Promise<void>;
}

export type AnyUploadRoute = AnyTeamRoute &
  Pick<UploadRoute<undefined, z.ZodType, Answers, unknown>, 'limits' | 'bare' | 'keep' | 'drop'>;

type ServedUpload = Served & { readonly route: AnyUploadRoute };

/** In a room of its own, where a body is left to flow. */
export function serveUpload(server: FastifyInstance, served: ServedUpload): void {
  const { body } = served.route.schema;
  const readFields = body ? textReader(body) : (given: Record<string, unknown>) => given;
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, _body, done) => done(null));
    room.post(served.path, async (request, reply) => {
      const principal = await admit(served, request);
      const upload = await receive(served, principal.tenant, request);
      request.body = readFields(upload.body);
      const sent = await answerOrDrop(served, { request, principal, upload });
      return send(reply, sent);
    });
  });
}

const send = (reply: FastifyReply, { status, headers, text }: SentAnswer) =>
  reply.code(status).headers(headers).type('application/json').send(text);

async function receive(served: ServedUpload, tenant: Tenant, request: FastifyRequest): Promise<Upload> {
  const { bare, keep, limits } = served.route;
  const reading = { limits, keep: (bytes: AsyncIterable<Buffer>) => keep(tenant, bytes) };
  try {
    if (bare === undefined || isForm(request.raw)) return await readMultipart(request.raw, reading);
    return await readBare(request.raw, { ...reading, name: bare });
  } catch (error) {
    if (!(error instanceof UploadFailure)) throw error;
    await drop(served, tenant, error.files);
    throw error.cause;
  }
}

interface Received {
  readonly request: FastifyRequest;
  readonly principal: TeamPrincipal;
  readonly upload: Upload;
}

/** The files belong to somebody only when the handler ran and its work was committed. */
async function answerOrDrop(
  served: ServedUpload,
  { request, principal, upload }: Received,
): Promise<SentAnswer> {
  const { app, readers, route } = served;
  const { tenant } = principal;
  let isHandled = false;
  let isAnswered = false;
  try {
    const { input, headers } = inputOf(app.config, readers, request);
    const { params, query } = request;
    const repeat = idempotencyOf(route, request, [params, query, hashedParts(upload)]);
    const full = { ...input, tenant, principal, repeatKey: repeat?.key };
    const handler: AnyTeamRoute['handler'] = async (given) => {
      const value = await route.handler(given);
      isHandled = true;
      return value;
    };
    const exchange = { full, headers, repeat, from: fromOf(request) };
    const sent = await answerOf({ ...served, route: { ...route, handler } }, exchange);
    isAnswered = true;
    return sent;
  } finally {
    if (!isHandled || !isAnswered) await drop(served, tenant, upload.files);
  }
}

/** What two requests must have in common to be the same: the fields, and the files by their contents. */
const hashedParts = ({ body, files }: Upload): unknown => ({
  fields: Object.fromEntries(Object.entries(body).filter(([, value]) => !isFiles(value))),
  files: files.map(({ digest, type }) => [digest, type]),
});

const isFiles = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => typeof one === 'object');

/** A failure to tidy up is no answer to the caller: whoever keeps files finds those that belong to nothing. */
async function drop({ app, route }: ServedUpload, tenant: Tenant, files: readonly UploadedFile[]) {
  const keys = files.map(({ key }) => key);
  if (keys.length === 0) return;
  await route.drop(tenant, keys).catch((error: unknown) => {
    app.log.warn({ err: error }, 'files of a refused upload could not be dropped');
  });
}
