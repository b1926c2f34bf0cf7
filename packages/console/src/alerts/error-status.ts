/** The status of the answer in an error's message, if it has one. */
export function errorStatus(message: string): string | undefined {
  const [, inWords, inParentheses] = /HTTP ([45]\d\d)\b|\(([45]\d\d)\)/.exec(message) ?? []
  return inWords ?? inParentheses
}
