/** True when the last digit is the modulus 10 check digit of the digits before it. */
export function hasCheckDigit(code: string): boolean {
  const match = /^(\d{1,7})-(\d)$/.exec(code);
  return match !== null && Number(match[2]) === checkDigit(match[1] ?? '');
}

/** Every second digit counts double, from the right; the digits of what comes out are summed. */
function checkDigit(body: string): number {
  const sum = [...body].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

/** The number of a code: 2160-0 is 21600. */
export const loincId = (code: string): number => Number(code.replace('-', ''));
