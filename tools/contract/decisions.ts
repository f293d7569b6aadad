export interface ContractMismatch {
  /** `POST /v3/order`, with the contract's path parameter names, or `webhook labtest.order.created`. */
  readonly operation: string;
  readonly place: string;
  readonly expected: string;
  readonly got: string;
}

/** An intended difference and its reason. Each given pattern must match. */
export interface ContractDecision {
  readonly operation?: RegExp;
  readonly place?: RegExp;
  readonly expected?: RegExp;
  readonly got?: RegExp;
  readonly reason: string;
}

/** Differences between the contract and the interface (or a decision that the interface leaves to us). */
export const decisions: readonly ContractDecision[] = [
  {
    place: /^(answer|data)/,
    got: /^"received\.testkit\.testkit_registered"$/,
    reason: 'interface: the event of a registered kit is received.testkit.testkit_registered',
  },
  {
    operation: /\/order|\/unmatched_result|^webhook labtest\.order/,
    place: /^(answer .*|data.*)(low_level_status|last_status)$/,
    got: /^"testkit_registered"$/,
    reason: 'interface: the event of a registered kit is received.testkit.testkit_registered',
  },
  {
    operation: /^(POST|GET) \/lab_report\/v1\/parser\/job|^webhook lab_report\.parsing_job/,
    place: /^(answer .*\.|data\.)status$/,
    got: /^"pending_review"$/,
    reason: 'interface: a parsing job that waits for a person has the status pending_review',
  },
  {
    operation: /^webhook labtest\.match_review\.created$/,
    place: /^(client_)?user_id$/,
    got: /^null$/,
    reason: 'ours: an unmatched result may belong to no known user',
  },
  {
    operation: /\/team_etl_pipelines\//,
    place: /preferences\.(preferred|enabled\[\])$/,
    got: /^"nats"$/,
    reason: 'ours: NATS JetStream is an additional event destination',
  },
];

const ASPECTS = ['operation', 'place', 'expected', 'got'] as const;

export const findDecision = (mismatch: ContractMismatch): ContractDecision | undefined =>
  decisions.find((decision) => ASPECTS.every((aspect) => decision[aspect]?.test(mismatch[aspect]) ?? true));
