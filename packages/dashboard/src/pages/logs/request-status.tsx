import { Badge } from '@mantine/core';

export const RequestStatus = ({ status }: { readonly status: number }) => (
  <Badge variant="light" radius="sm" color={status < 400 ? 'teal' : status < 500 ? 'yellow' : 'red'}>
    {status}
  </Badge>
);
