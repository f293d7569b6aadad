import type pg from 'pg';

/** The URL of an embedded server, for DATABASE_URL of another process. */
export function databaseUrlOf(connection: pg.ClientConfig): string {
  const { host = '', port, user, database, password } = connection;
  const login = typeof password === 'string' ? `${user}:${password}` : user;
  return `postgres://${login}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
