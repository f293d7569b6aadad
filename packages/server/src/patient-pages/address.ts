interface AddressParts {
  readonly first_line: string;
  readonly second_line?: string | null | undefined;
  readonly city: string;
  readonly state: string;
  readonly zip_code: string;
}

/** An address as it is written on an envelope, without the country. */
export const addressLines = (address: AddressParts): string[] => [
  address.first_line,
  ...(address.second_line ? [address.second_line] : []),
  `${address.city}, ${address.state} ${address.zip_code}`,
];
