import type { FastifyRequest } from 'fastify';
import type { AuthenticationRequest, Method } from './route.ts';

/** The row of the route table that a request asks for. */
interface RequestedRoute {
  readonly method: Method;
  readonly path: string;
  readonly route: {
    readonly schema: {
      readonly tag: string;
      readonly operationId: string;
      readonly grantsTag?: string | undefined;
      readonly isPassive?: true | undefined;
    };
  };
}

/** What authentication needs to know about a request. Its body has not been read. */
export const toAuthenticationRequest = (
  { method, path, route: { schema } }: RequestedRoute,
  { headers, ip, params, query }: FastifyRequest,
): AuthenticationRequest => ({
  headers,
  address: ip,
  method,
  path,
  tag: schema.tag,
  grantsTag: schema.grantsTag,
  operation: schema.operationId,
  isPassive: schema.isPassive,
  params: params as AuthenticationRequest['params'],
  query: query as AuthenticationRequest['query'],
});
