import { IconAppointments, IconCatalog, IconOrders, IconUsers } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const CARE_PAGES: readonly PageEntry[] = [
  { path: 'users', title: 'Users', group: 'Care', icon: IconUsers, permissions: ['users:read'], load: () => import('./users/users.tsx') },
  { path: 'users/$userId', title: 'User', permissions: ['users:read'], load: () => import('./users/user.tsx') },
  { path: 'orders', title: 'Orders', group: 'Care', icon: IconOrders, permissions: ['orders:read'], load: () => import('./orders/orders.tsx') },
  { path: 'orders/new', title: 'New order', permissions: ['orders:write'], load: () => import('./new-order/new-order.tsx') },
  { path: 'orders/$orderId', title: 'Order', permissions: ['orders:read'], load: () => import('./orders/order.tsx') },
  { path: 'catalog', title: 'Catalog', group: 'Care', icon: IconCatalog, permissions: ['catalog:read'], load: () => import('./catalog/catalog.tsx') },
  { path: 'catalog/import', title: 'Import catalog', permissions: ['catalog:import'], load: () => import('./catalog/catalog-import.tsx') },
  { path: 'catalog/$labTestId', title: 'Lab test', permissions: ['catalog:read'], load: () => import('./catalog/lab-test.tsx') },
  { path: 'appointments', title: 'Appointments', group: 'Care', icon: IconAppointments, permissions: ['orders:read'], load: () => import('./appointments/appointments.tsx') },
];
