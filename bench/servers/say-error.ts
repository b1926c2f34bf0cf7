/** Prints errors from outside of any request for the person who runs the benchmark. */
export function sayError(error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  process.stderr.write(`${String(error)}${cause}\n`)
}
