/** What a kind of item is called on the home page, and which page shows it. */
interface AttentionText {
  readonly title: string;
  /** What has to be done, as a phrase. */
  readonly action: string;
  readonly tone: 'red' | 'yellow' | 'blue';
  /** The page of all such items. */
  readonly page: string;
  /** The page of one item, from its ids. Undefined: the page of all. */
  readonly pathOf?: (item: AttentionIds) => string | undefined;
}

interface AttentionIds {
  readonly id: string;
  readonly order_id: string | null;
  readonly user_id: string | null;
}

const orderOf = ({ order_id }: AttentionIds) => (order_id === null ? undefined : `orders/${order_id}`);

/** Kinds as `GET /v1/overview` names them. */
// prettier-ignore
export const ATTENTION_TEXTS: Readonly<Record<string, AttentionText>> = {
  critical_result: { title: 'Critical results', action: 'Call the physician and record the read-back', tone: 'red', page: 'desks/critical' },
  unmatched_result: { title: 'Unmatched results', action: 'Decide which order a report belongs to', tone: 'red', page: 'desks/unmatched' },
  lab_report_review: { title: 'Lab reports in review', action: 'Check the values that the reader doubts', tone: 'yellow', page: 'desks/reports', pathOf: ({ id }) => `desks/reports/${id}` },
  parcel_problem: { title: 'Parcels with problems', action: 'Ask the courier, or send another kit', tone: 'yellow', page: 'orders', pathOf: orderOf },
  order_overdue: { title: 'Orders that stand still', action: 'Ask why the step takes longer than usual', tone: 'yellow', page: 'orders', pathOf: orderOf },
  dead_lab_message: { title: 'Laboratory messages that failed', action: 'Read the reason and try again', tone: 'red', page: 'laboratories' },
  failing_endpoint: { title: 'Failing webhook endpoints', action: 'Look at the answers of the endpoint', tone: 'yellow', page: 'webhooks', pathOf: ({ id }) => `webhooks/${id}` },
  failing_broker: { title: 'Message brokers out of reach', action: 'Check the connection', tone: 'yellow', page: 'webhooks' },
  exhausted_delivery: { title: 'Webhooks that were given up', action: 'Send them again when the endpoint works', tone: 'yellow', page: 'webhooks', pathOf: ({ id }) => `webhooks/${id}` },
  expiring_key: { title: 'Keys that expire soon', action: 'Rotate them before they end', tone: 'blue', page: 'developers' },
  lost_connection: { title: 'Lost wearable connections', action: 'Ask the user to connect again', tone: 'blue', page: 'wearables', pathOf: ({ user_id }) => (user_id === null ? undefined : `users/${user_id}`) },
};
