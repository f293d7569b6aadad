/** The chapters of docs/reference/events.md: the first whose pattern a type fits is its own. */
export interface Family {
  readonly title: string;
  readonly types: RegExp;
  readonly intro: string;
}

export const FAMILIES: readonly Family[] = [
  {
    title: 'Lab testing',
    types: /^labtest\./,
    intro:
      'Orders and appointments are told whole, as the API answers them: there is nothing to read afterwards.',
  },
  {
    title: 'Lab reports',
    types: /^lab_report\./,
    intro: 'The job is told whole; what was read is in it once it is completed.',
  },
  {
    title: 'Connections and devices',
    types: /^provider\./,
    intro: 'What a user connected, and what measures there.',
  },
  {
    title: 'Continuous queries',
    types: /^continuous_query\./,
    intro: 'What a query over the data of a user found anew.',
  },
  {
    title: 'Delivery',
    types: /^(message|endpoint)\./,
    intro: 'About the endpoints themselves. Never sent to the endpoint that they are about.',
  },
  { title: 'Others', types: /^/, intro: 'Everything else.' },
];
