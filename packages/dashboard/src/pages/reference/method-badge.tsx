import { Badge } from '@mantine/core';
import type { Method } from './document.ts';

const COLORS: Readonly<Record<Method, string>> = {
  GET: 'blue',
  POST: 'teal',
  PUT: 'yellow',
  PATCH: 'yellow',
  DELETE: 'red',
};

export const MethodBadge = ({ method }: { readonly method: Method }) => (
  <Badge variant="light" color={COLORS[method]} radius="sm" w={76} style={{ flexShrink: 0 }}>
    {method}
  </Badge>
);
