import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTenant } from '../work.ts';
import type { Tenant } from '../tenant.ts';
import { toAuthenticationRequest } from './authentication-request.ts';
import { fileTypeOf, type FileResponse, type StreamedFile } from './file-response.ts';
import { negotiateMediaType, JSON_MEDIA_TYPE } from './content-negotiation.ts';
import {
  authenticateAndValidate,
  runPrepare,
  serveTeam,
  loggedAccessOf,
  type ServedTeamRoute,
} from './serve-team.ts';
import { logAccess } from './access-logger.ts';
import type { TeamPrincipal } from './route.ts';
import { startStream, whilePermitted } from './stream-response.ts';
import { originOf } from './assistant-calls.ts';

/** The media type of the route's response, if it is a file. */
function fileTypeOfRoute({ method, path, route }: ServedTeamRoute): string | undefined {
  const type = fileTypeOf(Object.values(route.schema.response)[0]);
  if (type !== undefined && method !== 'GET')
    throw new Error(`${method} ${path}: only GET can respond with a file`);
  return type;
}

/** Serves a route as JSON, as a file, or as the caller's `Accept` prefers if it can do both. */
export function serveNegotiated(served: ServedTeamRoute) {
  const type = fileTypeOfRoute(served);
  if (type !== undefined) return serveFile(served, type);
  const json = serveTeam(served);
  const { file } = served.route;
  const other = fileTypeOf(served.route.schema.file);
  if (!file || other === undefined) return json;
  const asFile = serveFile({ ...served, route: { ...served.route, handler: file } }, other);
  return (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('vary', 'accept');
    return negotiateMediaType(request.headers.accept, [JSON_MEDIA_TYPE, other]) === other
      ? asFile(request, reply)
      : json(request, reply);
  };
}

/** Authentication, feature check, validation, one read transaction, and the rendering after it. Errors are JSON. */
function serveFile(served: ServedTeamRoute, mediaType: string) {
  const { app, route, turns } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { full, headers } = await authenticateAndValidate(served, request);
    const { content, file } = await logAccess(
      loggedAccessOf(served, { full, from: originOf(request) }),
      async () => {
        const prepared = await runPrepare(app, route, { full, repeat: undefined });
        const read = await turns(full.tenant, () =>
          readTenant(app, full.tenant, (work) => route.handler({ ...full, work, prepared })),
        );
        const made = read as FileResponse | StreamedFile;
        if ('render' in made) return { status: 200, file: made, content: Buffer.from(await made.render()) };
        return { status: 200, file: made, content: await openStream(served, request, { full, made }) };
      },
    );
    return reply
      .headers(headers)
      .header('content-disposition', `${isShown(file) ? 'inline' : 'attachment'}; filename="${file.name}"`)
      .header('x-content-type-options', 'nosniff')
      .type(('mediaType' in file && file.mediaType) || mediaType)
      .send(content);
  };
}

/** What was made by others, and streams of data, are saved and never shown. */
const isShown = (file: FileResponse | StreamedFile): boolean => 'render' in file && !file.isAttachment;

interface OpenedStream {
  readonly full: { readonly principal: TeamPrincipal; readonly tenant: Tenant };
  readonly made: StreamedFile;
}

/** Starts a streamed file. Its caller is authenticated again from time to time. */
async function openStream(
  { app, turns, ...served }: ServedTeamRoute,
  request: FastifyRequest,
  { full, made }: OpenedStream,
): Promise<Readable> {
  const asked = toAuthenticationRequest(served, request);
  const grant = {
    granted: describeGrant(full.principal),
    describeGrant: async () => describeGrant(await served.gate.team(asked)),
  };
  const pieces = takeTurns(made.stream(), (read) => turns(full.tenant, read));
  return Readable.from(await startStream(whilePermitted(app.clock, grant, pieces)));
}

/** Reads each chunk in a turn of its team, so that a long file delays no other team. */
async function* takeTurns(
  pieces: AsyncIterable<string>,
  inTurn: (read: () => Promise<IteratorResult<string>>) => Promise<IteratorResult<string>>,
): AsyncGenerator<string, void> {
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    const next = await inTurn(() => iterator.next());
    if (next.done === true) return;
    yield next.value;
  }
}

const describeGrant = ({ keyId, tenant }: TeamPrincipal): string =>
  `${keyId}/${tenant.teamId}/${tenant.environment}`;
