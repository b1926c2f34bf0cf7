/** Everything that this process prints, past the log too. */
export interface Printed {
  text(): string
  /** Lets it be printed again. */
  stop(): void
}

/** Keeps what goes to standard output, standard error and the console, where libraries warn. */
export function capturePrinted(): Printed {
  const kept: string[] = []
  const restores = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream)
    stream.write = (chunk: string | Uint8Array) => kept.push(Buffer.from(chunk).toString()) > 0
    return () => void (stream.write = write)
  })
  const methods = ['debug', 'info', 'log', 'warn', 'error', 'trace'] as const
  for (const method of methods) {
    const original = console[method]
    console[method] = (...values: unknown[]) => void kept.push(...values.map(String))
    restores.push(() => void (console[method] = original))
  }
  return {
    text: () => kept.join('\n'),
    stop() {
      for (const restore of restores) restore()
    },
  }
}
