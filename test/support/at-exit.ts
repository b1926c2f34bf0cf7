/** Runs this as the process ends, also when Vitest ends a worker by SIGTERM. The returned function takes it back. */
export function atExit(clean: () => void): () => void {
  if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit())
  process.once('exit', clean)
  return () => void process.off('exit', clean)
}
