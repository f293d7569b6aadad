import { Text } from '@mantine/core';
import type { components } from '../api/openapi.d.ts';
import { CopyId } from './values.tsx';

/** The user or order that an event names, with a link to its page. */
export function EventSubject({ body }: Pick<components['schemas']['LoggedEvent'], 'body'>) {
  const data = body['data'];
  const orderId = body.event_type.startsWith('labtest.order.')
    ? textIn(data, 'id')
    : textIn(data, 'order_id');
  const userId = textIn(body, 'user_id') ?? textIn(data, 'user_id');
  if (orderId !== undefined) return <CopyId id={orderId} path={`orders/${orderId}`} />;
  if (userId !== undefined) return <CopyId id={userId} path={`users/${userId}`} />;
  return <Text span>–</Text>;
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === 'string' ? found : undefined;
}
