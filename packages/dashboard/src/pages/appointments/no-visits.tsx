import { EmptyState } from '../../components/states.tsx';

export const NoVisits = () => (
  <EmptyState title="No appointments" call="POST /v3/order/{order_id}/phlebotomy/appointment/book">
    A visit is booked on the page of an order, for a draw at home or at a center of the laboratory.
  </EmptyState>
);
