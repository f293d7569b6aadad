interface GlossaryEntry {
  readonly title: string;
  /** Two sentences at most: what it is, and what it means for the reader of the page. */
  readonly text: string;
  /** Paths of the pages, as in pages.ts, that offer the explanation next to their title. */
  readonly pages: readonly string[];
}

/** The words of laboratories, wearables and webhooks at which a newcomer stops. */
// prettier-ignore
export const GLOSSARY = {
  requisition: { title: 'Requisition', text: 'The form that asks a laboratory for tests and names the patient, the physician and the codes. The patient brings it to the draw, or it travels with the sample.', pages: ['orders/$orderId', 'orders/new'] },
  'aoe-question': { title: 'AOE question', text: '“Ask at order entry”: what a laboratory must know to run or interpret a test, such as whether the patient fasted. Without the required answers it rejects the order.', pages: ['orders/new', 'catalog/$labTestId'] },
  accession: { title: 'Sample id (accession)', text: 'The number under which the laboratory knows the sample. It is what you name when you call the laboratory.', pages: ['orders/$orderId', 'desks/unmatched'] },
  abn: { title: 'ABN', text: 'Advance beneficiary notice: the patient confirms that Medicare may not pay for the test. It is printed and signed before the draw.', pages: ['orders/$orderId'] },
  'order-transaction': { title: 'Order transaction', text: 'An order together with its redraws and recreations. Results of the same request belong to one transaction.', pages: ['orders/$orderId'] },
  'diagnosis-code': { title: 'Diagnosis code', text: 'An ICD-10 code that says why the test is ordered. An insurer pays only with a fitting one.', pages: ['orders/new'] },
  'ordering-physician': { title: 'Ordering physician', text: 'Who is responsible for the order by law, either a physician of your team or the network that your team delegates to.', pages: ['orders/new'] },
  modality: { title: 'Collection method', text: 'How the sample is taken: a kit by mail, a visit at home, a walk-in at a center, or at your own site. It decides which steps the order takes.', pages: ['orders', 'orders/new', 'catalog'] },
  marker: { title: 'Marker', text: 'One thing that a laboratory measures, such as LDL cholesterol. A lab test is a list of markers at one laboratory.', pages: ['catalog', 'catalog/$labTestId'] },
  loinc: { title: 'LOINC', text: 'The code system that names measurements the same in all laboratories. It is how values of different reports come into one chart.', pages: ['catalog', 'desks/reports/$jobId'] },
  'critical-result': { title: 'Critical result', text: 'A value that may mean danger to life. The laboratory’s limits decide, and a physician has to be told within a deadline.', pages: ['desks/critical', 'home'] },
  'read-back': { title: 'Read-back', text: 'The person who is told a critical result repeats it, and you record what they said. Only a correct repetition ends the deadline.', pages: ['desks/critical'] },
  escalation: { title: 'Escalation', text: 'What happens when nobody reads a critical result back before its deadline: it is marked as escalated, and the team gets another e-mail.', pages: ['desks/critical'] },
  'unmatched-result': { title: 'Unmatched result', text: 'A report of a laboratory that fits no order with certainty, for example because a birth date differs. A person decides, and nothing is shown to a patient before.', pages: ['desks/unmatched', 'home'] },
  'lab-report-review': { title: 'Doubtful value', text: 'A value of an uploaded report that the reader is not sure of. A person compares it with the picture before it counts.', pages: ['desks/reports', 'desks/reports/$jobId'] },
  'dead-letter': { title: 'Dead letter', text: 'A message that could not be processed after all attempts. It is kept verbatim with the reason, and can be tried again.', pages: ['laboratories', 'laboratories/$connectionId', 'home'] },
  hl7: { title: 'HL7 v2', text: 'The line format in which most laboratories send orders and results. Segments such as PID and OBX are shown with their names.', pages: ['laboratories', 'laboratories/$connectionId'] },
  fhir: { title: 'FHIR', text: 'The newer, JSON-based format for medical records. It is shown as a tree of resources.', pages: ['laboratories', 'laboratories/$connectionId'] },
  connection: { title: 'Connection', text: 'The consent of a user that a provider, such as Oura, gives you their data. It ends when they withdraw it or when its token expires.', pages: ['wearables', 'users/$userId'] },
  'historical-pull': { title: 'Historical pull', text: 'After a user connects, the data of the past are fetched once, day by day. New data come on their own.', pages: ['wearables'] },
  'link-token': { title: 'Link token', text: 'Opens the page on which one user connects a provider. It works for a short time, and for this user alone.', pages: ['wearables'] },
  'continuous-query': { title: 'Continuous query', text: 'A stored query that is evaluated again whenever the data of a user change. Its new result is sent as an event.', pages: ['events'] },
  event: { title: 'Event', text: 'Something that changed, written once in the order in which it happened. Webhooks send events; this log keeps them even if nobody listens.', pages: ['events', 'webhooks'] },
  endpoint: { title: 'Endpoint', text: 'A URL of your service that receives events. An answer other than 2xx is a failure, and the delivery is tried again for hours.', pages: ['webhooks', 'webhooks/$webhookId'] },
  signature: { title: 'Signature', text: 'Each webhook is signed with the secret of its endpoint. Verify it before you trust the body.', pages: ['webhooks/$webhookId'] },
  replay: { title: 'Replay', text: 'Sends the events of a time again, for example after your service was down. A receiver knows them by their message id.', pages: ['webhooks/$webhookId'] },
  'idempotency-key': { title: 'Idempotency key', text: 'A text that your program sends with a request, so that a repetition gets the first answer and nothing is made twice.', pages: ['requests', 'developers'] },
  sandbox: { title: 'Sandbox', text: 'An environment with simulated laboratories and providers, apart from production. Nothing is sent or charged, and its clock can be moved.', pages: ['developers'] },
  'break-glass': { title: 'Break-glass', text: 'Access to patient data for a short time in an emergency, with a reason. It is recorded, and others are told.', pages: ['settings/data'] },
  retention: { title: 'Retention', text: 'How long a kind of data is kept. What is older is deleted, and the audit log has the proof.', pages: ['settings/data'] },
  'audit-chain': { title: 'Proof', text: 'Each entry of the log carries a digest of the one before it. A changed or missing entry breaks the chain, and is shown.', pages: ['logs'] },
} as const satisfies Readonly<Record<string, GlossaryEntry>>;

export type Term = keyof typeof GLOSSARY;

/** The words that a page explains. */
export const termsOf = (pagePath: string): GlossaryEntry[] =>
  Object.values<GlossaryEntry>(GLOSSARY).filter(({ pages }) => pages.includes(pagePath));
