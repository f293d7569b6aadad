import { readTenant, type App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { OrderExportFilters } from './commands.ts';
import { toCsvLine } from './csv.ts';
import { listOrdersFrom } from './list-orders.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { OrderedTest, type Order } from './order.ts';
import { publicStatus } from './status.ts';

/** The columns of the file, in their order. */
// prettier-ignore
const COLUMNS: Readonly<Record<string, (order: Order) => string | boolean | null>> = {
  id:                   ({ id }) => id,
  created_at:           ({ created_at: at }) => isoTimestamp(at),
  updated_at:           ({ updated_at: at }) => isoTimestamp(at),
  status:               ({ modality, step }) => publicStatus(modality, step),
  order_type:           ({ modality }) => modality,
  user_id:              ({ user_id: id }) => id,
  client_user_id:       ({ client_user_id: id }) => id,
  patient_name:         (order) => patientNameOf(order.private),
  recipient_name:       (order) => recipientNameOf(order.private),
  lab_test_id:          ({ lab_test_id: id }) => id,
  lab_test_name:        ({ lab_test: test }) => OrderedTest.parse(test).name,
  laboratory:           ({ lab_slug: slug }) => slug,
  sample_id:            ({ sample_id: id }) => id,
  interpretation:       ({ interpretation }) => interpretation,
  priority:             ({ priority }) => priority,
  billing_type:         ({ billing_type: type }) => type,
  activate_by:          ({ activate_by: day }) => day,
  order_transaction_id: ({ transaction_id: id }) => id,
  origin:               ({ origin }) => origin,
};

export const COLUMNS_DESCRIPTION = Object.keys(COLUMNS)
  .map((name) => `\`${name}\``)
  .join(', ');

const PAGE_SIZE = 500;

/**
 * The orders that pass the filters as CSV, oldest first, in pieces of up to 500 lines. Each piece is read in a
 * transaction of its own and continues at the creation time of the last one, so that memory and the cost of a piece do
 * not depend on the length of the file. An order that changes meanwhile is in it as it is when its piece is read.
 */
export async function* exportOrders(
  app: App,
  tenant: Tenant,
  filters: OrderExportFilters,
): AsyncGenerator<string, void> {
  yield toCsvLine(Object.keys(COLUMNS));
  let after: { from: Date; skip: number } | undefined;
  for (;;) {
    const position = after;
    const orders = await readTenant(app, tenant, (work) =>
      listOrdersFrom(work, filters, { ...position, size: PAGE_SIZE }),
    );
    if (orders.length > 0) yield orders.map(toLine).join('');
    const last = orders.at(-1);
    if (last === undefined || orders.length < PAGE_SIZE) return;
    const same = orders.filter(({ created_at: at }) => at.getTime() === last.created_at.getTime()).length;
    const isSameStill = position?.from.getTime() === last.created_at.getTime();
    after = { from: last.created_at, skip: same + (isSameStill ? position.skip : 0) };
  }
}

const toLine = (order: Order): string => toCsvLine(Object.values(COLUMNS).map((read) => read(order)));
