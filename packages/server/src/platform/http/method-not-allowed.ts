import type { FastifyInstance } from 'fastify';

interface PathMethods {
  readonly matches: RegExp;
  readonly methods: Set<string>;
}

/**
 * Collects the routes of a server as they are registered. The returned function lists the methods that a path has, in
 * alphabetical order; it is empty for an unknown path. It is for requests that no route matched: the router knows paths
 * by method only.
 */
export function trackMethods(server: FastifyInstance): (path: string) => string[] {
  const byPath = new Map<string, PathMethods>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = byPath.get(url) ?? { matches: toPattern(url), methods: new Set() };
    byPath.set(url, known);
    for (const one of [method].flat()) known.methods.add(one);
  });
  return (path) => {
    const matching = [...byPath.values()].filter(({ matches }) => matches.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
  };
}

/** `/user/:user_id` matches `/user/7` and `/user/7/`. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    if (part.startsWith(':')) return '[^/]+';
    return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
