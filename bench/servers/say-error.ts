/** Tells whoever runs the benchmark what went wrong outside of any request. */
export function sayError(error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  process.stderr.write(`${String(error)}${cause}\n`)
}
