import { api } from '../../api/client.ts';
import { AppointmentDialog, type AppointmentAction } from '../../components/appointment-dialog.tsx';
import type { Visit } from './visits.ts';

interface VisitDialogProps {
  readonly action: AppointmentAction;
  readonly visit: Visit;
  readonly onClose: () => void;
}

/** Reads the order of the visit, on which the free slots depend, when it is needed. */
export function VisitDialog({ action, visit, onClose }: VisitDialogProps) {
  const order = api.useQuery('get', '/v3/order/{order_id}', {
    params: { path: { order_id: visit.order_id } },
  });
  if (order.data === undefined) return null;
  const kind = visit.type === 'phlebotomy' ? 'home' : 'center';
  return <AppointmentDialog action={action} visit={{ order: order.data, kind }} onClose={onClose} />;
}
