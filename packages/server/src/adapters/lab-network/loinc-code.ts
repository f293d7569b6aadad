/** Whether a code has the form of a LOINC code and a valid mod 10 (Luhn) check digit. */
export function hasCheckDigit(code: string): boolean {
  const match = /^(\d{1,7})-(\d)$/.exec(code);
  return match !== null && Number(match[2]) === checkDigit(match[1] ?? '');
}

/** Luhn: every second digit from the right is doubled; the digits of the products are summed. */
function checkDigit(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
