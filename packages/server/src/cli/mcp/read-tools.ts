import { z } from 'zod';
import { readTool, type AssistantTool } from './tool.ts';
import * as views from './views.ts';

const UserId = z.guid().describe('The id of a user of this service (user_id, a UUID).');
const OrderId = z.guid().describe('The id of an order (a UUID).');
const Limit = z.int().min(1).max(100).default(20).describe('The most entries to return, 1 to 100.');
const NumberCursor = z
  .string()
  .regex(/^\d{1,9}$/, 'expected the next_cursor of the page before')
  .optional()
  .describe('The next_cursor of the page before; omit it for the first page.');
const Cursor = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('The next_cursor of the page before; omit it for the first page.');
const Day = z.iso.date();

const listUsers = readTool({
  name: 'list_users',
  title: 'List users',
  description: 'Lists the users of the team, oldest first. To find one by name or id, use search_records.',
  areas: ['users'],
  input: z.object({ cursor: NumberCursor, limit: Limit }),
  output: z.object({ users: z.array(views.UserView), total: z.number(), next_cursor: views.NextCursor }),
  run: async (api, { cursor, limit }) => {
    const offset = Number(cursor ?? 0);
    const answer = z.object({ users: z.array(views.UserView), total: z.number() });
    const page = await api.get({ path: '/v2/user', query: { offset, limit }, answer });
    const next = offset + page.users.length;
    return { ...page, next_cursor: next < page.total ? String(next) : null };
  },
});

const SearchHit = z.object({
  kind: z.string().describe('user, order, lab_test or marker; the id is of that kind.'),
  id: z.string(),
  title: z.string(),
  detail: z.string().nullish(),
  user_id: z.string().nullish(),
});

const searchRecords = readTool({
  name: 'search_records',
  title: 'Search users, orders and the catalog',
  description:
    'Finds users by the beginning of an id, a client_user_id, an e-mail address or a name on an order; orders by the ' +
    'beginning of an id, a sample id or a tracking number; lab tests and markers by name.',
  areas: ['users', 'orders', 'catalog'],
  input: z.object({
    query: z.string().min(2).max(100),
    limit: z.int().min(1).max(10).default(5).describe('The most results of each kind.'),
  }),
  output: z.object({ results: z.array(SearchHit) }),
  run: async (api, { query, limit }) => {
    const answer = z.object({ data: z.array(SearchHit) });
    const { data } = await api.get({ path: '/v1/search', query: { q: query, limit }, answer });
    return { results: data };
  },
});

const getUser = readTool({
  name: 'get_user',
  title: 'Get a user',
  description: 'Reads one user with the connected data sources.',
  areas: ['users'],
  input: z.object({ user_id: UserId }),
  output: views.UserView,
  run: (api, { user_id: id }) => api.get({ path: `/v2/user/${id}`, answer: views.UserView }),
});

const listOrders = readTool({
  name: 'list_orders',
  title: 'List orders',
  description:
    'Lists orders, newest first, with filters. `total` is null where there are too many to count. Use get_order for the history of one.',
  areas: ['orders'],
  input: z.object({
    user_id: UserId.optional(),
    text: z
      .string()
      .max(200)
      .optional()
      .describe('A name of the patient or recipient, an order id, a sample id or a client_user_id.'),
    start_date: Day.optional().describe('Created on or after this day, such as 2026-03-01.'),
    end_date: Day.optional().describe('Created on or before this day.'),
    method: z.enum(['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection']).optional(),
    interpretation: z.enum(['normal', 'abnormal', 'critical']).optional(),
    cursor: NumberCursor,
    limit: Limit,
  }),
  output: z.object({
    orders: z.array(views.OrderSummaryView),
    total: z.number().nullish(),
    next_cursor: views.NextCursor,
  }),
  run: async (api, { text, method, cursor, limit, ...filter }) => {
    const page = Number(cursor ?? 1);
    const answer = z.object({ orders: z.array(views.OrderSummaryView), total: z.number().nullish() });
    const query = {
      ...filter,
      search_input: text,
      order_type: method,
      order_key: 'created_at',
      order_direction: 'desc',
      page,
      size: limit,
    };
    const found = await api.get({ path: '/v3/orders', query, answer });
    const hasMore = found.orders.length === limit && page * limit < (found.total ?? Infinity);
    return { ...found, next_cursor: hasMore ? String(page + 1) : null };
  },
});

const getOrder = readTool({
  name: 'get_order',
  title: 'Get an order with its history',
  description: 'Reads one order: its lab test, its patient, and every step so far.',
  areas: ['orders'],
  input: z.object({ order_id: OrderId }),
  output: views.OrderView,
  run: (api, { order_id: id }) => api.get({ path: `/v3/order/${id}`, answer: views.OrderView }),
});

const getOrderResults = readTool({
  name: 'get_order_results',
  title: 'Get the results of an order',
  description:
    'Reads the newest results of an order: value, unit, reference range, and whether it is outside. Not found until the laboratory has reported.',
  areas: ['results'],
  input: z.object({ order_id: OrderId }),
  output: z.object({
    status: z.string(),
    interpretation: z.string().nullish(),
    laboratory: z.string().nullish(),
    date_collected: z.string().nullish(),
    date_reported: z.string().nullish(),
    results: z.array(views.ResultView),
    missing_results: z.array(views.MissingResultView).nullish(),
  }),
  run: async (api, { order_id: id }) => {
    const answer = z.object({
      metadata: z.object({
        status: z.string(),
        interpretation: z.string().nullish(),
        laboratory: z.string().nullish(),
        date_collected: z.string().nullish(),
        date_reported: z.string().nullish(),
      }),
      results: z.array(views.ResultView),
      missing_results: z.array(views.MissingResultView).nullish(),
    });
    const { metadata, ...found } = await api.get({ path: `/v3/order/${id}/result`, answer });
    return { ...metadata, ...found };
  },
});

const listUserMarkers = readTool({
  name: 'list_user_markers',
  title: 'List the biomarkers of a user',
  description:
    'Lists what a user has values of, with the newest value. Then read one with get_biomarker_trend.',
  areas: ['results'],
  input: z.object({ user_id: UserId }),
  output: z.object({ markers: z.array(views.UserMarkerView), is_complete: z.boolean() }),
  run: async (api, { user_id: id }) => {
    const answer = z.object({ data: z.array(views.UserMarkerView), is_complete: z.boolean() });
    const { data, is_complete } = await api.get({ path: `/v1/user/${id}/results/markers`, answer });
    return { markers: data, is_complete };
  },
});

const getBiomarkerTrend = readTool({
  name: 'get_biomarker_trend',
  title: 'Get the trend of a biomarker',
  description:
    'Reads all values of one biomarker of a user, newest first, from orders and uploaded lab reports. Give `loinc`, or `slug` for a marker without a code. A page can have fewer values than there are: follow next_cursor. Compare only values with the same unit.',
  areas: ['results'],
  input: z.object({
    user_id: UserId,
    loinc: z.string().min(1).max(20).optional().describe('A LOINC code, such as 2345-7.'),
    slug: z.string().min(1).max(300).optional(),
    start_date: Day.optional(),
    end_date: Day.optional().describe('The last day, inclusive.'),
    cursor: Cursor,
    limit: Limit.describe('How many orders and lab reports a page reads, 1 to 100.'),
  }),
  output: z.object({ values: z.array(views.UserResultView), next_cursor: views.NextCursor }),
  run: async (api, { user_id: id, start_date: from, end_date: to, cursor, ...filter }) => {
    const answer = z.object({ data: z.array(views.UserResultView), next_cursor: views.NextCursor });
    const query = {
      ...filter,
      from: from && `${from}T00:00:00Z`,
      to: to && `${to}T23:59:59.999Z`,
      next_cursor: cursor,
    };
    const { data, next_cursor } = await api.get({ path: `/v1/user/${id}/results`, query, answer });
    return { values: data, next_cursor };
  },
});

const getWearableSummaries = readTool({
  name: 'get_wearable_summaries',
  title: 'Get wearable summaries',
  description:
    'Reads the summaries of a user’s devices for a range of days: activity, sleep, body or workouts. Ask for at most a month.',
  areas: ['wearables'],
  input: z.object({
    user_id: UserId,
    resource: z.enum(['activity', 'sleep', 'body', 'workouts']),
    start_date: Day,
    end_date: Day.describe('The last day, inclusive.'),
  }),
  output: z.object({ summaries: z.array(views.SummaryView) }),
  run: async (api, { user_id: id, resource, ...range }) => {
    const answer = z.record(z.string(), z.array(views.SummaryView));
    const found = await api.get({ path: `/v2/summary/${resource}/${id}`, query: range, answer });
    return { summaries: (found[resource] ?? []).map(dropEmptyFields) };
  },
});

/** Providers fill few of the fields of a summary. */
const dropEmptyFields = (summary: z.output<typeof views.SummaryView>): z.output<typeof views.SummaryView> =>
  Object.fromEntries(
    Object.entries(summary).filter(
      ([name, value]) => value !== null && name !== 'user_id' && name !== 'created_at',
    ),
  );

const listLabTests = readTool({
  name: 'list_lab_tests',
  title: 'List lab tests',
  description: 'Lists the lab tests that the team can order.',
  areas: ['catalog'],
  input: z.object({
    name: z.string().max(200).optional().describe('A part of the name.'),
    method: z.enum(['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection']).optional(),
    cursor: Cursor,
    limit: Limit,
  }),
  output: z.object({ lab_tests: z.array(views.LabTestView), next_cursor: views.NextCursor }),
  run: async (api, { name, method, cursor, limit }) => {
    const answer = z.object({ data: z.array(views.LabTestView), next_cursor: views.NextCursor });
    const query = { name, collection_method: method, lab_test_limit: limit, next_cursor: cursor };
    const { data, next_cursor } = await api.get({ path: '/v3/lab_test', query, answer });
    return { lab_tests: data, next_cursor };
  },
});

/** The tools about users, orders, results, devices and the catalog. */
export const RECORD_TOOLS: readonly AssistantTool[] = [
  listUsers,
  searchRecords,
  getUser,
  listOrders,
  getOrder,
  getOrderResults,
  listUserMarkers,
  getBiomarkerTrend,
  getWearableSummaries,
  listLabTests,
];
