import { sql, type RawBuilder } from 'kysely';

/**
 * Whether an event, by its alias in a query, is about a deleted user. Such events are hidden until they are erased.
 */
export const isOfDeletedUser = (event: string): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${event}.${name}`);
  return sql<boolean>`(${column('user_id')} is not null and exists (select from app_user u
    where u.team_id = ${column('team_id')} and u.environment = ${column('environment')}
      and u.id = ${column('user_id')} and u.deleted_at is not null))`;
};
