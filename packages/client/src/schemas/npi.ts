/** Whether ten digits are an NPI: Luhn's check over them with the prefix 80840. */
export function isNpi(text: string): boolean {
  return /^\d{10}$/.test(text) && checkSum(text) % 10 === 0
}

/** The NPI with these first nine digits. */
export function npiOf(nineDigits: string): string {
  return `${nineDigits}${(10 - (checkSum(`${nineDigits}0`) % 10)) % 10}`
}

function checkSum(digits: string): number {
  return Array.from(`80840${digits}`)
    .toReversed()
    .reduce((sum, character, index) => {
      const digit = Number(character) * (index % 2 === 1 ? 2 : 1)
      return sum + (digit > 9 ? digit - 9 : digit)
    }, 0)
}
