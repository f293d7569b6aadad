import type pg from 'pg';

/** The address of an embedded server, as DATABASE_URL names it to a process of its own. */
export function urlOf(connection: pg.ClientConfig): string {
  const { host = '', port, user, database, password } = connection;
  const login = typeof password === 'string' ? `${user}:${password}` : user;
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
