import { z } from 'zod';
import { sandboxTool, type AssistantTool } from './tool.ts';
import * as views from './views.ts';

const UserId = z.guid().describe('The id of a user of this service (user_id, a UUID).');
const OrderId = z.guid().describe('The id of an order (a UUID).');
const IdempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .describe(
    'A new random text for each order. A repeat with the same text and arguments makes no second one.',
  );

const OrderAnswer = z.object({ order: views.OrderSummaryView });

const Patient = z.object({
  first_name: z.string().max(50),
  last_name: z.string().max(50),
  dob: z.iso.date(),
  gender: z.enum(['male', 'female', 'other', 'unknown']),
  phone_number: z.string().max(30).describe('Such as +14155550132.'),
  email: z.email(),
});

const Address = z.object({
  receiver_name: z.string().max(50),
  first_line: z.string().max(200),
  second_line: z.string().max(200).optional(),
  city: z.string().max(100),
  state: z.string().length(2),
  zip: z.string().max(10),
  country: z.string().length(2).default('US'),
  phone_number: z.string().max(30).optional(),
});

const createUser = sandboxTool({
  name: 'create_user',
  title: 'Create a sandbox user',
  description: 'Creates a user in the sandbox. Use invented people only.',
  areas: ['users'],
  input: z.object({
    client_user_id: z.string().min(1).max(200).describe('The team’s own id of the user; unique in the team.'),
    fallback_time_zone: z.string().max(100).optional().describe('An IANA name, such as America/New_York.'),
  }),
  output: views.UserView,
  run: (api, input) => api.post({ path: '/v2/user', body: input, answer: views.UserView }),
});

const createOrder = sandboxTool({
  name: 'create_order',
  title: 'Create a sandbox order',
  description:
    'Orders a lab test for a sandbox user. Use invented people only; find the lab test with list_lab_tests.',
  areas: ['orders'],
  isIdempotent: true,
  input: z.object({
    user_id: UserId,
    lab_test_id: z.guid(),
    patient_details: Patient,
    patient_address: Address,
    idempotency_key: IdempotencyKey,
  }),
  output: OrderAnswer,
  run: (api, { idempotency_key: idempotencyKey, ...body }) =>
    api.post({ path: '/v3/order', body, idempotencyKey, answer: OrderAnswer }),
});

const simulateOrder = sandboxTool({
  name: 'simulate_order',
  title: 'Simulate a sandbox order',
  description:
    'Moves a sandbox order: without more arguments to its result; with `next_step` one step; through a `scenario`; or to a `final_status`.',
  areas: ['orders'],
  input: z.object({
    order_id: OrderId,
    next_step: z.boolean().default(false),
    scenario: z
      .string()
      .max(60)
      .optional()
      .describe('Such as happy_path, abnormal_result, critical_result, missing_results or lost_in_mail.'),
    final_status: z.string().max(100).optional().describe('Such as received.testkit.requisition_created.'),
    interpretation: z.enum(['normal', 'abnormal', 'critical']).optional(),
  }),
  output: OrderAnswer,
  run: (api, { order_id: id, next_step, scenario, final_status, interpretation }) =>
    api.post({
      path: `/v3/order/${id}/test`,
      query: { step: next_step ? true : null, scenario, final_status },
      ...(interpretation === undefined ? {} : { body: { interpretation } }),
      answer: OrderAnswer,
    }),
});

const registerTestkit = sandboxTool({
  name: 'register_testkit',
  title: 'Register a sandbox test kit',
  description:
    'Registers a test kit by its sample id for a sandbox user. An unknown sample id stands for a kit from stock, whose order is made now.',
  areas: ['orders'],
  input: z.object({
    user_id: UserId,
    sample_id: z.string().min(1).max(100),
    patient_details: Patient,
    patient_address: Address,
  }),
  output: OrderAnswer,
  run: (api, body) => api.post({ path: '/v3/order/testkit/register', body, answer: OrderAnswer }),
});

const connectDemoProvider = sandboxTool({
  name: 'connect_demo_provider',
  title: 'Connect a demo provider',
  description:
    'Connects a demo device to a sandbox user. A month of invented data follows within seconds: read it with get_wearable_summaries.',
  areas: ['wearables'],
  input: z.object({
    user_id: UserId,
    provider: z.enum(['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura']),
  }),
  output: z.object({ success: z.boolean(), detail: z.string() }),
  run: (api, body) =>
    api.post({
      path: '/v2/link/connect/demo',
      body,
      answer: z.object({ success: z.boolean(), detail: z.string() }),
    }),
});

const resendOrderEvents = sandboxTool({
  name: 'resend_order_events',
  title: 'Resend the events of sandbox orders',
  description: 'Sends labtest.order.updated again, with the current state of each order, to all endpoints.',
  areas: ['events'],
  input: z.object({ order_ids: z.array(OrderId).min(1).max(100) }),
  output: z.object({ order_ids: z.array(z.string()) }),
  run: (api, body) =>
    api.post({
      path: '/v3/order/resend_events',
      body,
      answer: z.object({ order_ids: z.array(z.string()) }),
    }),
});

const resendWebhook = sandboxTool({
  name: 'resend_webhook',
  title: 'Resend a webhook message',
  description:
    'Sends one message of the sandbox again to one endpoint; see its attempts with list_webhook_attempts.',
  areas: ['events'],
  needsManagementKey: true,
  input: z.object({
    webhook_id: z.string().min(1).max(100),
    message_id: z.string().min(1).max(100).describe('msg_ and the id of an event.'),
  }),
  output: z.object({ is_sent: z.boolean() }),
  run: async (api, { webhook_id: webhook, message_id: message }) => {
    const path = `/webhook/${encodeURIComponent(webhook)}/message/${encodeURIComponent(message)}/resend`;
    await api.manage({ path, answer: z.object({}) });
    return { is_sent: true };
  },
});

const SECONDS_MAX = 31_536_000;

const moveSandboxClock = sandboxTool({
  name: 'move_sandbox_clock',
  title: 'Move the sandbox clock',
  description:
    'Moves the clock of the sandbox forward. Everything that comes due on the way happens. It cannot be moved back.',
  areas: [],
  needsManagementKey: true,
  input: z.object({ advance_seconds: z.int().min(1).max(SECONDS_MAX) }),
  output: z.object({ now: z.string() }),
  run: (api, body) => api.manage({ path: '/clock', body, answer: z.object({ now: z.string() }) }),
});

/** The tools that drive a sandbox. */
export const SANDBOX_TOOLS: readonly AssistantTool[] = [
  createUser,
  createOrder,
  simulateOrder,
  registerTestkit,
  connectDemoProvider,
  resendOrderEvents,
  resendWebhook,
  moveSandboxClock,
];
