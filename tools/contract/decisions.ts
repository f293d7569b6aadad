export interface Mismatch {
  /** `POST /v3/order`, with the contract's names of the path parameters; `webhook labtest.order.created`. */
  readonly operation: string;
  readonly place: string;
  readonly expected: string;
  readonly got: string;
}

/** A difference that we want, and why: each given pattern must match. */
export interface Decision {
  readonly operation?: RegExp;
  readonly place?: RegExp;
  readonly expected?: RegExp;
  readonly got?: RegExp;
  readonly reason: string;
}

/** Where the interface (or a decision of ours that it leaves open) and the contract differ, and the interface wins. */
export const decisions: readonly Decision[] = [
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
    reason: 'ours: a result that fits no order may be of nobody whom the team knows',
  },
  {
    operation: /\/team_etl_pipelines\//,
    place: /preferences\.(preferred|enabled\[\])$/,
    got: /^"nats"$/,
    reason: 'ours: a further destination of events, NATS JetStream',
  },
];

const ASPECTS = ['operation', 'place', 'expected', 'got'] as const;

export const decisionOn = (mismatch: Mismatch): Decision | undefined =>
  decisions.find((decision) => ASPECTS.every((aspect) => decision[aspect]?.test(mismatch[aspect]) ?? true));
