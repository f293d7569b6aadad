import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTenant } from '../work.ts';
import { fileTypeOf, type FileAnswer } from './file-answer.ts';
import { enter, type Served } from './serve-team.ts';

/** The media type of the route's answer, where it is a file. */
export function fileTypeAnswered({ method, path, route }: Served): string | undefined {
  const type = fileTypeOf(Object.values(route.schema.response)[0]);
  if (type !== undefined && method !== 'GET') throw new Error(`${method} ${path}: only GET answers a file`);
  return type;
}

/** Key, feature, validation, one transaction that reads, and the drawing after it. Errors are JSON as everywhere. */
export function serveFile(served: Served, mediaType: string) {
  const { app, route } = served;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { full, headers } = await enter(served, request);
    const prepared = await route.prepare?.(full);
    const read = await readTenant(app, full.tenant, (work) => route.handler({ ...full, work, prepared }));
    const { name, draw } = read as FileAnswer;
    const bytes = Buffer.from(await draw());
    return reply
      .headers(headers)
      .header('content-disposition', `inline; filename="${name}"`)
      .type(mediaType)
      .send(bytes);
  };
}
