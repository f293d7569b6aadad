import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { isServedByHttps } from '../public-url.ts';

/** Two years, as the preload lists of browsers ask. */
const HSTS = 'max-age=63072000';

/**
 * Headers of every response, unless a route sets its own: nothing is stored by caches, guessed as another media type,
 * shown in a frame or run. Browsers remember to use https if the public URL does.
 */
export function addSecurityHeaders(server: FastifyInstance, config: Config): void {
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(isServedByHttps(config) ? { 'strict-transport-security': HSTS } : {}),
  };
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}

/** A page has its policy in its own head; what only a header can say is that no other page may frame it. */
export const PAGE_POLICY = "frame-ancestors 'none'";
