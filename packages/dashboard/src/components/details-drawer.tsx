import { Alert, Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePermissions } from '../base/tenant.ts';

interface DetailsDrawerProps {
  readonly title: string;
  readonly size?: 'lg' | 'xl';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The details of a row, next to its list. */
export const DetailsDrawer = ({ title, size = 'xl', onClose, children }: DetailsDrawerProps) => (
  <Drawer
    opened
    onClose={onClose}
    position="right"
    size={size}
    title={title}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {children}
  </Drawer>
);

/** The details of a message, whose body holds values of patients: for members who may read them. */
export function MessageDetailsDrawer({ children, ...props }: DetailsDrawerProps) {
  const may = usePermissions();
  return (
    <DetailsDrawer {...props}>
      {may('messages:read') ? (
        children
      ) : (
        <Alert color="gray" title="You may not read messages">
          The bodies of messages hold values of patients. An administrator can give you the role.
        </Alert>
      )}
    </DetailsDrawer>
  );
}
