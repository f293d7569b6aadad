import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTenant } from '../work.ts';
import { fileTypeOf, type FileAnswer } from './file-answer.ts';
import { accepts, JSON_MEDIA } from './accepts.ts';
import { enter, fromOf, preparedBy, serveTeam, standOf, type Served } from './serve-team.ts';
import { observed } from './witness.ts';

/** The media type of the route's answer, where it is a file. */
function fileTypeAnswered({ method, path, route }: Served): string | undefined {
  const type = fileTypeOf(Object.values(route.schema.response)[0]);
  if (type !== undefined && method !== 'GET') throw new Error(`${method} ${path}: only GET answers a file`);
  return type;
}

/** How a route answers: as JSON, as a file, or as the caller's `Accept` prefers where it can do both. */
export function serveAny(served: Served) {
  const type = fileTypeAnswered(served);
  if (type !== undefined) return serveFile(served, type);
  const json = serveTeam(served);
  const { file } = served.route;
  const other = fileTypeOf(served.route.schema.file);
  if (!file || other === undefined) return json;
  const asFile = serveFile({ ...served, route: { ...served.route, handler: file } }, other);
  return (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('vary', 'accept');
    return accepts(request.headers.accept, [JSON_MEDIA, other]) === other
      ? asFile(request, reply)
      : json(request, reply);
  };
}

/** Key, feature, validation, one transaction that reads, and the drawing after it. Errors are JSON as everywhere. */
function serveFile(served: Served, mediaType: string) {
  const { app, route } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { full, headers } = await enter(served, request);
    const { name, bytes } = await observed(standOf(served, { full, from: fromOf(request) }), async () => {
      const prepared = await preparedBy(app, route, { full, repeat: undefined });
      const read = await readTenant(app, full.tenant, (work) => route.handler({ ...full, work, prepared }));
      const { name: fileName, draw } = read as FileAnswer;
      return { status: 200, name: fileName, bytes: Buffer.from(await draw()) };
    });
    return reply
      .headers(headers)
      .header('content-disposition', `inline; filename="${name}"`)
      .type(mediaType)
      .send(bytes);
  };
}
