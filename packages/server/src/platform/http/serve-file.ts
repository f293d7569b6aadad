import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTenant } from '../work.ts';
import { fileTypeOf, type FileResponse } from './file-response.ts';
import { negotiateMediaType, JSON_MEDIA_TYPE } from './content-negotiation.ts';
import {
  authenticateAndValidate,
  originOf,
  runPrepare,
  serveTeam,
  loggedAccessOf,
  type ServedTeamRoute,
} from './serve-team.ts';
import { logAccess } from './access-logger.ts';

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
    const { bytes, file } = await logAccess(
      loggedAccessOf(served, { full, from: originOf(request) }),
      async () => {
        const prepared = await runPrepare(app, route, { full, repeat: undefined });
        const read = await turns(full.tenant, () =>
          readTenant(app, full.tenant, (work) => route.handler({ ...full, work, prepared })),
        );
        const made = read as FileResponse;
        return { status: 200, file: made, bytes: Buffer.from(await made.render()) };
      },
    );
    return reply
      .headers(headers)
      .header(
        'content-disposition',
        `${file.isAttachment ? 'attachment' : 'inline'}; filename="${file.name}"`,
      )
      .header('x-content-type-options', 'nosniff')
      .type(file.mediaType ?? mediaType)
      .send(bytes);
  };
}
